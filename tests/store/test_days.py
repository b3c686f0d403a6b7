"""Days are kept as runs of fact numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.store import days
from gmhooks.store.env import Store
from gmhooks.store.writer import run


def test_every_fact_has_the_day_it_was_recorded_with(folder: str) -> None:
    written = [5, 5, 5, 9, 9, 4, 4, 70_000, 5]

    def work(store: Store) -> tuple[Sequence[int], list[int]]:
        for doc, on in enumerate(written):
            days.record(store, 1, doc, on * days.DAY_US + 5)
        return days.runs(store, 1)

    runs = run(folder, work)
    assert [len(part) for part in runs] == [5, 5]
    assert [days.day_of(runs, doc) for doc in range(9)] == [min(on, 65_535) for on in written]
    assert days.day_of(runs, 99_999) == 5


def test_a_namespace_without_facts_has_no_runs(folder: str) -> None:
    assert run(folder, lambda store: days.runs(store, 7)) == ([], [])
    assert days.day_of(([], []), 3) == 0


@given(st.lists(st.integers(0, days.LAST_DAY), min_size=1, max_size=40))
def test_the_search_agrees_with_a_walk(written: list[int]) -> None:
    firsts = [doc for doc, on in enumerate(written) if not doc or written[doc - 1] != on]
    assert [days.day_of((firsts, [written[doc] for doc in firsts]), doc) for doc in range(len(written))] == written


def test_days_stay_within_sixteen_bits() -> None:
    assert days.day(-5) == 0
    assert days.day(10**15) == 11_574
    assert days.day(10**30) == 65_535
