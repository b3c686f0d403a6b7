"""Bitmaps say what the postings say, after every kind of write. (`folder` verifies that of each store when a test ends.)"""

from __future__ import annotations

import random

import pytest

from gmhooks.store import bitmaps, facts
from gmhooks.store.bitmaps import MADE, find, fold, unfaithful
from gmhooks.store.check import verify
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.facts import add, erase, everything, retire, revive
from gmhooks.store.layout import BITMAPS, scoped_key
from gmhooks.store.meta import counter
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import USER
from gmhooks.store.writer import run

WORDS = ("deploy", "staging", "redis", "cache", "token", "queue")


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten facts are a large namespace here."""
    monkeypatch.setattr(facts, "EXACT_UP_TO", 10)


def _fill(folder: str, count: int = 40, seed: int = 1) -> None:
    draw = random.Random(seed)

    def work(store: Store) -> int:
        ns = ensure(store, "app")
        for number in range(count):
            words = draw.choices(WORDS, k=draw.choice((3, 3, 60)))
            add(store, ns, f"{' '.join(words)} n{ns.next_doc}x", 1 + number, USER)
        return fold(store, exact_up_to=10)

    assert run(folder, work) >= len(WORDS)


def _changed(folder: str, seed: int) -> None:
    draw = random.Random(seed)

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        for fact in list(everything(store, ns)):
            change = draw.choice(("none", "retire", "erase", "revive"))
            if change == "retire" and fact.live:
                retire(store, ns, fact)
            elif change == "revive" and not fact.live:
                revive(store, ns, fact)
            elif change == "erase":
                erase(store, ns, fact)

    run(folder, work)


@pytest.mark.parametrize("seed", range(5))
def test_bits_follow_saves_retirements_revivals_and_erasures(folder: str, seed: int) -> None:
    _fill(folder, seed=seed)
    for again in range(3):
        _changed(folder, seed * 10 + again)
        run(folder, lambda store: add(store, ensure(store, "app"), "redis redis token", 10**6, USER))

    store = open_read(folder)
    found = find(store, ensure(store, "app").number, "redi")
    assert unfaithful(store) == 0
    assert found is not None
    assert found.df == int.from_bytes(found.bits, "little").bit_count()
    store.close()


def test_a_value_grows_with_the_numbers_of_facts(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmaps, "_PAGE", 2)
    _fill(folder)
    run(folder, lambda store: [add(store, ensure(store, "app"), f"redis r{n}y", 10**6, USER) for n in range(40)])

    store = open_read(folder)
    found = find(store, 1, "redi")
    assert found is not None
    assert len(found.bits) == 10
    store.close()


def test_a_small_namespace_has_none(folder: str) -> None:
    def work(store: Store) -> int:
        for number in range(9):
            add(store, ensure(store, "small"), f"redis cache {number}", 1 + number, USER)
        return fold(store, exact_up_to=10)

    assert run(folder, work) == 0


def test_namespaces_keep_their_terms_apart(folder: str) -> None:
    def work(store: Store) -> list[bool]:
        spaces = [ensure(store, name) for name in ("one", "two")]
        for number in range(30):
            add(store, spaces[0], f"redis n{number}x", 1 + number, USER)
            add(store, spaces[1], f"queue n{number}x", 1 + number, USER)
        fold(store, exact_up_to=10)
        return [find(store, ns.number, term) is not None for ns in spaces for term in ("redi", "queue")]

    assert run(folder, work) == [True, False, False, True]


def test_a_term_that_became_rare_loses_its_bitmap_and_folding_again_changes_nothing(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bitmaps, "_SHARE", 4)
    _fill(folder)

    def rarefy(store: Store) -> tuple[int, int, bool]:
        ns = ensure(store, "app")
        for fact in list(everything(store, ns)):
            if "redis" in fact.text.split():
                retire(store, ns, fact)
        for number in range(30):
            add(store, ns, f"token t{number}y", 10**6, USER)
        first = fold(store, exact_up_to=10)
        return first, fold(store, exact_up_to=10), find(store, ns.number, "redi") is None

    first, second, gone = run(folder, rarefy)
    assert first == second
    assert gone


def test_a_bitmap_that_says_something_else_is_found(folder: str) -> None:
    _fill(folder)

    def spoil(store: Store) -> None:
        cursor = store.cursor(BITMAPS)
        cursor.first()
        store.put(BITMAPS, cursor.key(), cursor.value()[:-1] + b"\x80")

    def mend(store: Store) -> int:
        store.txn.drop(store.db(BITMAPS), delete=False)
        return fold(store, exact_up_to=10)

    run(folder, spoil)
    assert verify(folder) == ["bitmaps: 1 differ from the index"]
    assert run(folder, mend) == run(folder, lambda store: counter(store, MADE))


def test_nothing_is_folded_without_large_namespaces(folder: str) -> None:
    assert run(folder, lambda store: fold(store)) == 0


@pytest.mark.parametrize("left", [1, 9, 23])
def test_a_bitmap_that_was_cut_off_is_damage(folder: str, left: int) -> None:
    _fill(folder)

    def cut(store: Store) -> None:
        key = scoped_key(store.identity.secret, 1, b"redi")
        store.put(BITMAPS, key, (store.get(BITMAPS, key) or b"")[:left])
        with pytest.raises(StoreDamaged, match="bitmap"):
            find(store, 1, "redi")
        store.txn.drop(store.db(BITMAPS), delete=False)
        fold(store, exact_up_to=10)

    run(folder, cut)
