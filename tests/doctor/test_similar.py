"""Nearly equal sets: the same pairs as comparing everything with everything."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gmhooks.doctor.similar import pairs

_SETS = st.lists(st.frozensets(st.integers(0, 12), max_size=10), max_size=12)


@settings(max_examples=400, deadline=None)
@given(_SETS, st.sampled_from([0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))
def test_exactly_the_pairs_that_a_full_comparison_finds(sets: list[frozenset[int]], least: float) -> None:
    wanted = [
        (a, b, len(sets[a] & sets[b]) / len(sets[a] | sets[b]))
        for a in range(len(sets))
        for b in range(a + 1, len(sets))
        if sets[a] and sets[b] and len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= least
    ]

    assert pairs(sets, least) == wanted


def test_many_different_sets_are_hardly_compared() -> None:
    sets = [frozenset(range(n * 3, n * 3 + 40)) for n in range(0, 60_000, 20)]

    assert pairs(sets, 0.8) == []
