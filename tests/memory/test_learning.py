"""Aliases from use: what is asked in vain, then in other words, twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.memory import api, learning
from gmhooks.memory.api import Memory
from gmhooks.memory.learning import AFFINITY, MISS_US, MOST_PAIRS, PAIR_US, Lesson, learn, pairs
from gmhooks.memory.options import RecallOptions
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreBusy
from gmhooks.store.learning import Evidence, Miss, numbers, read
from gmhooks.store.namespaces import find
from gmhooks.store.writer import run

WEAK, STRONG = "is authn rotated", "authentication token rotation"
START = 1_800_000_000_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    now = [START]
    monkeypatch.setattr(api, "clock_us", lambda: now[0])
    return now


@pytest.fixture
def learner(memory: Memory, clock: list[int]) -> Memory:
    """A memory of three facts that learns."""
    for text in ("The authentication token rotation runs nightly", "Lunch is at noon", "The gateway drops idle calls"):
        memory.remember("app", text)
    switch(memory, "on")
    assert clock == [START]
    return memory


def switch(memory: Memory, value: str) -> None:
    Path(memory.data_dir, "hooks.conf").write_text(f"learn_aliases={value}\n")


def reformulate(memory: Memory, weak: str = WEAK, strong: str = STRONG, times: int = 2) -> None:
    for _ in range(times):
        memory.recall("app", weak)
        memory.recall("app", strong)


def aliases(memory: Memory) -> list[tuple[str, str]]:
    return [(fact.text, fact.source) for fact in memory.aliases("app")]


def evidence(memory: Memory, agent_id: str = "app") -> Evidence:
    store = open_read(memory.data_dir)
    try:
        ns = find(store, agent_id)
        assert ns is not None
        return read(store, ns.number)
    finally:
        store.close()


def test_the_second_reformulation_makes_an_alias_that_questions_use(learner: Memory) -> None:
    reformulate(learner, times=1)
    assert (aliases(learner), list(evidence(learner).pairs)) == ([], [("authn", "authentication")])
    reformulate(learner, times=1)
    assert aliases(learner) == [("alias: authn = authentication", "consolidation")]
    assert evidence(learner) == Evidence()
    receipt = learner.recall_explain("app", "authn", 1).receipts[0]
    assert (receipt["text"], receipt["ranks"]["keyword_rank"]) == ("The authentication token rotation runs nightly", 1)  # type: ignore[index]


def test_nothing_is_learned_unless_switched_on(memory: Memory, clock: list[int]) -> None:
    memory.remember("app", "The authentication token rotation runs nightly")
    reformulate(memory, times=3)
    assert (aliases(memory), evidence(memory)) == ([], Evidence())
    assert clock == [START]


def test_recalls_with_a_minimum_confidence_teach_nothing(learner: Memory) -> None:
    sure = RecallOptions(min_confidence="inferred")
    learner.recall("app", WEAK, options=sure)
    learner.recall("app", STRONG)
    assert evidence(learner) == Evidence()
    learner.recall("app", WEAK)
    learner.recall("app", STRONG, options=sure)
    assert evidence(learner) == Evidence(Miss(START, ("authn",), ("rotated",)))


def test_a_miss_pairs_once_and_only_within_its_time(learner: Memory, clock: list[int]) -> None:
    learner.recall("app", WEAK)
    clock[0] += MISS_US + 1
    learner.recall("app", STRONG)
    assert evidence(learner) == Evidence()
    learner.recall("app", WEAK)
    learner.recall("app", STRONG)
    learner.recall("app", STRONG)
    assert [seen for seen, _ in evidence(learner).pairs.values()] == [1]


def test_a_pair_that_is_too_old_counts_no_more_and_consolidation_drops_it(learner: Memory, clock: list[int]) -> None:
    reformulate(learner, times=1)
    clock[0] += PAIR_US + 1
    reformulate(learner, times=1)
    assert (aliases(learner), [seen for seen, _ in evidence(learner).pairs.values()]) == ([], [1])

    def prune(store: Store) -> None:
        learning.prune(store, clock[0] + PAIR_US + 1)

    run(learner.data_dir, prune)
    assert evidence(learner) == Evidence()


def test_words_that_begin_differently_pair_only_where_any_may(learner: Memory) -> None:
    weak, strong = "is login rotated", STRONG
    reformulate(learner, weak, strong)
    assert (aliases(learner), evidence(learner).pairs) == ([], {})
    switch(learner, "any")
    reformulate(learner, weak, strong)
    assert ("alias: login = authentication", "consolidation") in aliases(learner)


def test_each_agent_has_a_miss_of_its_own(learner: Memory) -> None:
    learner.remember("other", "The authentication token rotation is weekly")
    for _ in range(3):
        learner.recall("other", WEAK)
        learner.recall("app", STRONG)
    assert evidence(learner).pairs == {}
    assert evidence(learner, "other").miss is not None


def test_a_learned_alias_that_was_forgotten_is_not_learned_again(learner: Memory) -> None:
    reformulate(learner)
    learner.forget("alias: authn = authentication", ["app"])
    reformulate(learner, times=4)
    assert aliases(learner) == []


def test_what_an_alias_says_already_is_not_learned(learner: Memory) -> None:
    reformulate(learner, times=1)
    learner.alias("app", "authn", ["authentication", "auth"])
    learner.recall("app", WEAK)
    learner.recall("app", STRONG)
    assert [text for text, _ in aliases(learner)] == ["alias: authn = authentication, auth"]


def test_questions_with_a_secret_or_a_private_part_leave_no_word_behind(learner: Memory) -> None:
    learner.recall("app", "is authn rotated with ghp_" + "a1B2c3D4e5F6" * 3)
    assert evidence(learner) == Evidence()
    learner.recall("app", "is authn <private>authxyz</private> rotated")
    miss = evidence(learner).miss
    assert miss is not None
    assert miss.missed == ("authn",)


def test_a_busy_store_costs_the_lesson_and_not_the_answer(learner: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise StoreBusy("another process writes")

    monkeypatch.setattr(api, "changing", busy)
    assert learner.recall("app", WEAK).facts
    assert evidence(learner) == Evidence()


def test_adopting_takes_the_evidence_along_and_purging_drops_it(learner: Memory) -> None:
    reformulate(learner, times=1)
    learner.adopt("app", "renamed")
    assert evidence(learner) == Evidence()
    assert list(evidence(learner, "renamed").pairs) == [("authn", "authentication")]
    learner.purge("Lunch is at noon", ["renamed"])
    assert evidence(learner, "renamed") == Evidence()


def test_a_learned_alias_stays_one_through_export_and_import(learner: Memory, tmp_path: Path) -> None:
    reformulate(learner)
    lines = [line.encode() for line in learner.export("app")]
    (tmp_path / "second").mkdir()
    prepare(str(tmp_path / "second" / ".graymatter"), learner.user_dir)
    other = Memory(tmp_path / "second" / ".graymatter", learner.user_dir)
    other.import_lines(lines)
    assert aliases(other) == [("alias: authn = authentication", "consolidation")]


words = st.text("abcä", min_size=1, max_size=5)
word_lists = st.lists(words, max_size=4, unique=True).map(tuple)


@given(missed=word_lists, known=word_lists, found=word_lists, affinity=st.sampled_from([0, AFFINITY]))
def test_pairs_are_those_that_the_rule_names(missed, known, found, affinity) -> None:
    wanted = {
        (one, other)
        for one in missed
        for other in found
        if other not in (*known, *missed) and (one[:affinity] == other[:affinity] and min(len(one), len(other)) >= affinity)
    }
    made = pairs(Miss(0, missed, known), found, affinity)
    assert (set(made), len(made)) == (wanted, len(wanted))


class _Told:
    """The rules of learning once more, over a plain history of lessons."""

    def __init__(self) -> None:
        self.miss: tuple[int, str] | None = None
        self.seen: dict[tuple[str, str], list[int]] = {}
        self.learned: set[tuple[str, str]] = set()

    def hear(self, at: int, weak: bool, word: str) -> None:
        if weak:
            self.miss = (at, word)
            return
        if self.miss is not None and at - self.miss[0] <= MISS_US and word != self.miss[1]:
            pair = self.miss[1], word
            recent = [when for when in self.seen.get(pair, [])[-1:] if at - when <= PAIR_US]
            self.seen[pair] = [*recent, at]
            if len(self.seen[pair]) == 2 and not {pair, pair[::-1]} & self.learned:
                self.learned.add(pair)
            if len(self.seen[pair]) == 2:
                del self.seen[pair]
        self.miss = None


STEPS = (1, MISS_US, MISS_US + 1, PAIR_US, PAIR_US + 1)


@given(
    history=st.lists(
        st.tuples(st.sampled_from(STEPS), st.booleans(), st.sampled_from(["authn", "authz", "authority"])), max_size=25
    )
)
def test_any_history_of_lessons_makes_the_aliases_that_the_rules_name(tmp_path_factory, history) -> None:
    folder = tmp_path_factory.mktemp("project")
    data_dir = str(folder / ".graymatter")
    prepare(data_dir, str(folder / "user"))
    told, now = _Told(), START

    def work(store: Store) -> None:
        nonlocal now
        for step, weak, word in history:
            now += step
            told.hear(now, weak, word)
            learn(store, Lesson("app", now, weak, (word,), (), (word,), AFFINITY))

    run(data_dir, work)
    made = Memory(data_dir, folder / "user").aliases("app")
    assert {fact.text for fact in made} == {f"alias: {one} = {other}" for one, other in told.learned}


def test_only_so_many_pairs_are_kept_the_newest(learner: Memory) -> None:
    def work(store: Store) -> None:
        for at in range(MOST_PAIRS + 5):
            for weak in (True, False):
                word = f"auth{at}"
                learn(store, Lesson("app", START + at, weak, (word,), (), (word + "x",), AFFINITY))
        assert numbers(store) == [1]

    run(learner.data_dir, work)
    kept = evidence(learner).pairs
    assert len(kept) == MOST_PAIRS
    assert ("auth4", "auth4x") not in kept
    assert ("auth5", "auth5x") in kept
