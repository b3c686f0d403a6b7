"""Facts, their index and their namespace's counts move together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gmhooks.store import facts
from gmhooks.store.check import verify
from gmhooks.store.env import Store, open_read
from gmhooks.store.ids import encode
from gmhooks.store.layout import FACTS, LENGTH_FLOOR, fact_key
from gmhooks.store.marks import PINNED, VERIFIED, marked
from gmhooks.store.namespaces import ensure, find, listed
from gmhooks.store.postings import df, lookup, pack, weight
from gmhooks.store.records import CLI, MCP, USER, Fact
from gmhooks.store.writer import run

NOW = 1_800_000_000_000_000


def remember(folder: str, text: str, agent: str = "app", now_us: int = NOW, source: int = USER) -> Fact:
    return run(folder, lambda store: facts.add(store, ensure(store, agent), text, now_us, source))


def reading(folder: str, look: Callable[[Store], object]) -> object:
    store = open_read(folder)
    try:
        return look(store)
    finally:
        store.close()


def texts(folder: str, agent: str = "app") -> list[str]:
    def look(store: Store) -> list[str]:
        ns = find(store, agent)
        return [fact.text for fact in facts.newest(store, ns)] if ns else []

    found = reading(folder, look)
    assert isinstance(found, list)
    return found


def test_a_fact_is_read_back_whole(folder: str) -> None:
    made = remember(folder, "Deploys on Friday are banned", source=MCP)

    def look(store: Store) -> Fact | None:
        return facts.get(store, made.ns, made.doc)

    found = reading(folder, look)
    assert isinstance(found, Fact)
    assert [getattr(found, name) for name in Fact.__slots__] == [getattr(made, name) for name in Fact.__slots__]
    assert found.live
    assert not found.pinned


def test_namespaces_do_not_see_each_other(folder: str) -> None:
    remember(folder, "one", "a")
    remember(folder, "two", "b")
    remember(folder, "three", "a")
    assert texts(folder, "a") == ["three", "one"]
    assert texts(folder, "b") == ["two"]
    assert texts(folder, "c") == []
    names = reading(folder, lambda store: [(ns.agent_id, ns.live) for ns in listed(store)])
    assert names == [("a", 2), ("b", 1)]


@pytest.mark.parametrize("agent", ["/abs", "a\0b", "проект", "..\\win", "x" * 4096, " a ", "\udcff"])
def test_any_agent_id_is_a_namespace_of_its_own(folder: str, agent: str) -> None:
    remember(folder, "mine", agent)
    assert texts(folder, agent) == ["mine"]


def test_order_survives_a_clock_that_went_back(folder: str) -> None:
    first = remember(folder, "first")
    second = remember(folder, "second", now_us=NOW - 86_400_000_000)
    assert second.created_us > first.created_us
    assert second.id > first.id
    assert texts(folder) == ["second", "first"]


def test_a_dated_fact_keeps_its_time_and_the_listing_its_order(folder: str) -> None:
    remember(folder, "newer")
    run(folder, lambda store: facts.add(store, ensure(store, "app"), "older", NOW - 1, CLI, as_dated=True))
    remember(folder, "newest")
    assert texts(folder) == ["newest", "newer", "older"]


def test_equal_after_normalisation_is_found_and_retired_is_not(folder: str) -> None:
    made = remember(folder, "Use uv, not pip")

    def look(store: Store, text: str) -> bytes | None:
        ns = find(store, "app")
        assert ns
        found = facts.find_equal(store, ns, text)
        return found.id if found else None

    assert reading(folder, lambda store: look(store, "use  UV, not pip")) == made.id
    assert reading(folder, lambda store: look(store, "use pip")) is None

    def retire(store: Store) -> None:
        facts.retire(store, ensure(store, "app"), made)

    run(folder, retire)
    assert reading(folder, lambda store: look(store, "use uv, not pip")) is None
    assert texts(folder) == []
    assert reading(folder, lambda store: df(store, made.ns, "uv")) == 0


def test_an_id_is_found_by_its_last_characters(folder: str) -> None:
    made = [remember(folder, f"fact {n}") for n in range(50)]

    def look(store: Store) -> None:
        for fact in made:
            short = facts.short_id(store, fact)
            assert len(short) == 6
            assert [found.id for found in facts.by_suffix(store, short)] == [fact.id]
            assert [found.id for found in facts.by_suffix(store, encode(fact.id).lower())] == [fact.id]
        assert facts.by_suffix(store, "nonsense!") == []

    reading(folder, look)


def test_a_short_id_grows_until_it_is_unique(folder: str) -> None:
    ids = [bytes(10) + bytes([n, 0, 1, 2, 3, 4]) for n in (1, 2)]

    def work(store: Store) -> None:
        for n, fact_id in enumerate(ids):
            facts.add(store, ensure(store, "app"), f"text {n}", NOW + n, CLI, fact_id=fact_id)

    run(folder, work)

    def look(store: Store) -> list[str]:
        ns = find(store, "app")
        assert ns
        return [facts.short_id(store, fact) for fact in facts.newest(store, ns)]

    shorts = reading(folder, look)
    assert isinstance(shorts, list)
    assert len(set(shorts)) == 2
    assert all(len(short) > 6 for short in shorts)


def test_marks_list_newest_first_and_end_with_the_fact(folder: str) -> None:
    made = [remember(folder, f"fact {n}") for n in range(3)]

    def work(store: Store) -> None:
        for fact in made:
            facts.pin(store, fact, NOW)
            facts.set_confidence(store, fact, 3)
        facts.pin(store, made[1], 0)
        facts.set_confidence(store, made[2], 1)
        facts.retire(store, ensure(store, "app"), made[0])

    run(folder, work)
    assert reading(folder, lambda store: list(marked(store, made[0].ns, PINNED))) == [2]
    assert reading(folder, lambda store: list(marked(store, made[0].ns, VERIFIED))) == [1]


def test_an_erased_fact_leaves_a_hole_and_nothing_else(folder: str) -> None:
    made = [remember(folder, f"fact {n}") for n in range(3)]

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        facts.pin(store, made[1], NOW)
        facts.erase(store, ns, made[1])

    run(folder, work)
    assert texts(folder) == ["fact 2", "fact 0"]
    assert reading(folder, lambda store: facts.by_suffix(store, encode(made[1].id))) == []
    assert reading(folder, lambda store: list(marked(store, made[0].ns, PINNED))) == []
    assert remember(folder, "fact 3").doc == 3


def test_a_missing_record_that_nobody_erased_is_damage(folder: str) -> None:
    made = remember(folder, "fact")
    saved = Path(folder, "gray.mdb").read_bytes()
    run(folder, lambda store: store.txn.delete(fact_key(made.ns, made.doc), db=store.db(FACTS)))
    assert any("1 facts are missing, 0 were erased" in problem for problem in verify(folder))
    Path(folder, "gray.mdb").write_bytes(saved)


def test_a_revived_fact_is_found_and_pinned_again(folder: str) -> None:
    made = remember(folder, "zebra crossing")

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        facts.pin(store, made, NOW)
        facts.retire(store, ns, made)
        facts.revive(store, ns, made)

    run(folder, work)
    assert texts(folder) == ["zebra crossing"]
    assert reading(folder, lambda store: list(marked(store, made.ns, PINNED))) == [0]
    assert reading(folder, lambda store: len(lookup(store, made.ns, ["zebra"])[0])) == 1


def test_a_chain_of_revisions_ends_at_the_live_fact(folder: str) -> None:
    made = [remember(folder, f"version {n}") for n in range(4)]

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        for old, new in pairwise(made):
            facts.retire(store, ns, old, new.id)

    run(folder, work)
    heirs = reading(folder, lambda store: [facts.successor(store, fact) for fact in made])
    assert isinstance(heirs, list)
    assert [heir.text for heir in heirs] == ["version 3"] * 4


def unpack(value: int) -> tuple[int, int, int]:
    """Term frequency, length and fact number, by the widths that docs/store-format.md gives."""
    return value >> 41 & 0xFFF, value >> 28 & 0x1FFF, value & 0xFFFFFFF


@given(
    st.integers(min_value=1, max_value=4000),
    st.integers(min_value=1, max_value=8000),
    st.integers(min_value=0, max_value=(1 << 28) - 1),
)
def test_a_posting_keeps_tf_length_and_number(tf: int, length: int, doc: int) -> None:
    value = int.from_bytes(pack(tf, length, doc), "little")
    assert unpack(value) == (tf, max(length, LENGTH_FLOOR), doc)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 900)), min_size=2, max_size=20))
def test_postings_sort_by_descending_impact(pairs: list[tuple[int, int]]) -> None:
    packed = sorted(int.from_bytes(pack(tf, length, 7), "little") for tf, length in pairs)
    impacts = [weight(*unpack(value)[:2]) for value in packed]
    step = 1.9 / 2047
    assert all(a >= b - step for a, b in pairwise(impacts))


def test_a_lookup_names_every_fact_that_holds_the_term(folder: str) -> None:
    made = [remember(folder, f"{'zebra ' * (n + 1)} number{n}") for n in range(5)]
    found = reading(folder, lambda store: [unpack(value) for value in lookup(store, made[0].ns, ["zebra"])[0]])
    assert isinstance(found, list)
    assert sorted((doc, tf) for tf, _, doc in found) == [(n, n + 1) for n in range(5)]
    assert [tf for tf, _, _ in found] == [5, 4, 3, 2, 1]
    assert reading(folder, lambda store: lookup(store, made[0].ns, ["unknown", "zebra"])[0]) == []


WORDS = ["deploy", "port", "staging", "vpn", "rollback", "cache", "the", "not"]


class StoreMachine(RuleBasedStateMachine):
    """Random changes to a store, compared with a plain dict."""

    folder: str

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, list[str]] = {"a": [], "b": []}

    @rule(agent=st.sampled_from("ab"), words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    def add(self, agent: str, words: list[str]) -> None:
        text = " ".join(words)
        remember(self.folder, text, agent)
        self.model[agent].insert(0, text)

    @rule(agent=st.sampled_from("ab"), at=st.integers(0, 5))
    def retire(self, agent: str, at: int) -> None:
        if at < len(self.model[agent]):

            def work(store: Store) -> None:
                ns = ensure(store, agent)
                facts.retire(store, ns, list(facts.newest(store, ns))[at])

            run(self.folder, work)
            del self.model[agent][at]

    @rule(agent=st.sampled_from("ab"), at=st.integers(0, 5))
    def erase(self, agent: str, at: int) -> None:
        if at < len(self.model[agent]):

            def work(store: Store) -> None:
                ns = ensure(store, agent)
                facts.erase(store, ns, list(facts.newest(store, ns))[at])

            run(self.folder, work)
            del self.model[agent][at]

    @rule(agent=st.sampled_from("ab"), at=st.integers(0, 5))
    def retire_and_revive(self, agent: str, at: int) -> None:
        if at < len(self.model[agent]):

            def work(store: Store) -> None:
                ns = ensure(store, agent)
                fact = list(facts.newest(store, ns))[at]
                facts.retire(store, ns, fact)
                facts.revive(store, ns, fact)

            run(self.folder, work)

    @invariant()
    def the_store_holds_what_the_model_holds(self) -> None:
        for agent, expected in self.model.items():
            assert texts(self.folder, agent) == expected


def test_random_changes_leave_a_sound_store_equal_to_a_dict(folder: str) -> None:
    class Machine(StoreMachine):
        pass

    Machine.folder = folder
    run_one = settings(max_examples=1, stateful_step_count=60, deadline=None, suppress_health_check=list(HealthCheck))
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Machine, settings=run_one)
    assert verify(folder) == []
