from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.recall.fuse import base, factor, level, reach


def test_the_published_sum_of_reciprocal_ranks() -> None:
    assert base(3, 2, 1) == 1.0 / 63 + 1.0 / 62 + 0.5 / 61


def test_an_absent_rank_adds_nothing() -> None:
    assert base(0, 0, 7) == 0.5 / 67


@pytest.mark.parametrize(("confidence", "expected"), [(0, 1.0), (1, 0.5), (2, 1.0), (3, 1.5)])
def test_confidence_moves_the_score_by_its_weight(confidence: int, expected: float) -> None:
    assert factor(confidence, 0.5) == expected


def test_an_unlabelled_fact_counts_as_inferred() -> None:
    assert [level(confidence) for confidence in range(4)] == [1, 0, 1, 2]


@given(count=st.integers(1, 50), buckets=st.integers(1, 60), below=st.integers(1, 2000))
def test_no_fact_beyond_reach_can_enter(count: int, buckets: int, below: int) -> None:
    beyond = reach(count, buckets) + below
    assert base(0, beyond, 1) < base(0, count, buckets)


@given(count=st.integers(1, 200), buckets=st.integers(1, 60))
def test_the_best_by_keyword_are_always_within_reach(count: int, buckets: int) -> None:
    assert reach(count, buckets) >= count
