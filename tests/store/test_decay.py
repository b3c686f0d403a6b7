"""Weights halve with every half-life without a recall; next to nothing goes; pinned facts and aliases stay."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.store.aliases import add as add_alias
from gmhooks.store.decay import FLOOR, decayed, settle_daily, settle_one
from gmhooks.store.env import Store
from gmhooks.store.facts import add, newest, pin, retire
from gmhooks.store.namespaces import ensure, listed
from gmhooks.store.records import USER
from gmhooks.store.touches import keep
from gmhooks.store.weights import weight
from gmhooks.store.writer import run

HOUR = 3_600_000_000
NOW = 1_780_000_000_000_000


@given(st.floats(0, 1), st.integers(-(10**15), 10**16), st.integers(0, 10**16))
def test_decay_never_adds_weight_and_never_depends_on_how_often(before: float, idle: int, more: int) -> None:
    once = decayed(before, idle + more)
    assert 0 <= once <= before
    assert decayed(decayed(before, idle), idle + more) == once


@pytest.mark.parametrize(("half_lives", "left"), [(0, 1.0), (1, 0.5), (2, 0.25), (6.64, 0.01)])
def test_each_half_life_halves(half_lives: float, left: float) -> None:
    assert decayed(1.0, int(half_lives * 720 * HOUR)) == pytest.approx(left, abs=1e-4)


def test_consolidating_twice_is_consolidating_once(folder: str) -> None:
    def work(store: Store) -> list[tuple[float, int]]:
        ns = ensure(store, "app")
        fact = add(store, ns, "half a life old", NOW - 720 * HOUR, USER)
        found = []
        for _ in range(3):
            lighter, _gone = settle_one(store, ns, NOW)
            found.append((weight(store, ns.number, fact.doc), lighter))
        return found

    first, second, third = run(folder, work)
    assert first[0] == pytest.approx(0.5, abs=1e-9)
    assert (first[1], second, third) == (1, (first[0], 0), (first[0], 0))


def test_a_recall_keeps_a_fact_but_gives_no_weight_back(folder: str) -> None:
    def work(store: Store) -> tuple[float, int]:
        ns = ensure(store, "app")
        fact = add(store, ns, "recalled lately", NOW - 9000 * HOUR, USER)
        keep(store, ns.number, fact.doc, 1, NOW - 720 * HOUR)
        settle_one(store, ns, NOW)
        keep(store, ns.number, fact.doc, 2, NOW)
        settle_one(store, ns, NOW)
        return weight(store, ns.number, fact.doc), ns.live

    left, live = run(folder, work)
    assert (left, live) == (pytest.approx(0.5, abs=1e-9), 1)


def test_only_what_nobody_needs_is_erased(folder: str) -> None:
    old = NOW - 10_000 * HOUR

    def work(store: Store) -> tuple[int, list[str], int]:
        ns = ensure(store, "app")
        pin(store, add(store, ns, "pinned", old, USER), NOW)
        add_alias(store, ns, "alias: db = database", old, USER)
        retire(store, ns, add(store, ns, "retired", old, USER))
        add(store, ns, "forgotten by all", old, USER)
        add(store, ensure(store, "other"), "elsewhere", old, USER)
        add(store, ns, "fresh", NOW, USER)
        gone = sum(len(settle_one(store, each, NOW)[1]) for each in listed(store))
        return gone, [fact.text for fact in newest(store, ensure(store, "app"))], ns.aliases

    assert run(folder, work) == (3, ["fresh", "pinned"], 1)


def test_sessions_that_end_on_one_day_settle_once_and_erase_nothing(folder: str) -> None:
    day = 24 * HOUR

    def work(store: Store) -> list[int]:
        ns = ensure(store, "app")
        lighter = []
        for number, now in enumerate((NOW, NOW + HOUR, NOW + day)):
            add(store, ns, f"forgotten {number}", NOW - 10_000 * HOUR, USER, as_dated=True)
            lighter.append(settle_daily(store, now))
            ns = ensure(store, "app")
        assert ns.live == 3
        return lighter

    assert run(folder, work) == [1, 0, 3]


def test_the_floor_is_met_after_199_days() -> None:
    days = -math.log2(FLOOR) * 720 / 24
    assert 199 < days < 200
    assert decayed(1.0, int((days + 0.01) * 24 * HOUR)) < FLOOR < decayed(1.0, int((days - 0.01) * 24 * HOUR))
