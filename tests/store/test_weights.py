"""A fact weighs 1 until something else was kept, and recalls never change what it weighs."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.store.env import Store
from gmhooks.store.touches import append, fold, folded, of
from gmhooks.store.weights import set_weight, weight
from gmhooks.store.writer import run


def test_a_weight_comes_back_exactly_and_survives_a_fold(folder: str) -> None:
    value = math.exp(-0.7)

    def work(store: Store) -> tuple[float, float, float]:
        before = weight(store, 1, 7)
        set_weight(store, 1, 7, value)
        fold(store, folder)
        return before, weight(store, 1, 7), weight(store, 1, 8)

    append(folder, [(1, 7), (1, 8)], 42)
    assert run(folder, work) == (1.0, int(value * 2**53) / 2**53, 1.0)
    folded(folder)
    assert run(folder, lambda store: of(store, 1, 7)) == (1, 42)


@given(st.floats(min_value=0, max_value=1))
def test_keeping_what_was_kept_changes_nothing(value: float) -> None:
    steps = int(value * 2**53)
    assert int(steps / 2**53 * 2**53) == steps


def test_weights_stay_between_nothing_and_one(folder: str) -> None:
    def work(store: Store) -> list[float]:
        found = []
        for value in (-1.0, 0.0, 1.0, 7.0):
            set_weight(store, 1, 1, value)
            found.append(weight(store, 1, 1))
        return found

    assert run(folder, work) == [0.0, 0.0, 1.0, 1.0]
