"""Days are kept per fact, across blocks."""

from __future__ import annotations

from gmhooks.store import days
from gmhooks.store.env import Store
from gmhooks.store.writer import run


def test_days_of_facts_far_apart(folder: str) -> None:
    def work(store: Store) -> list[int]:
        for doc in (0, 5, 1023, 1024, 3000):
            days.record(store, 1, doc, doc * days.DAY_US + 5)
        return days.of(store, 1, [3000, 0, 1023, 1024, 5, 7, 99_999])

    assert run(folder, work) == [3000, 0, 1023, 1024, 5, 0, 0]


def test_days_stay_within_sixteen_bits() -> None:
    assert days.day(-5) == 0
    assert days.day(10**15) == 11_574
    assert days.day(10**30) == 65_535
