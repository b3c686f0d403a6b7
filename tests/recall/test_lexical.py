from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.recall.lexical import idf, leaders
from tests.recall.worlds import Draft, World


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_term_has_a_positive_weight(live: int, df: int) -> None:
    assert idf(max(live, df), df) > 0


@given(
    st.dictionaries(st.integers(0, 5000), st.sampled_from([0.5, 1.0, 1.5, 2.25, 3.0]), max_size=600), st.integers(1, 60)
)
def test_leaders_are_everyone_at_or_above_the_nth_best(scores: dict[int, float], count: int) -> None:
    ordered = sorted(scores.values(), reverse=True)
    floor = ordered[count - 1] if count <= len(ordered) else -math.inf
    assert sorted(leaders(scores, count)) == sorted(doc for doc, score in scores.items() if score >= floor)


def test_a_repeated_query_term_counts_once(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("token")])
    once, twice = world.recall(["redi"]), world.recall(["redi", "redi"])
    assert [hit.keyword for hit in once.hits] == [hit.keyword for hit in twice.hits]


def test_a_retired_fact_leaves_the_statistics(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("redis", fate="retired"), Draft("token")])
    ranked = world.recall(["redi"])
    assert (ranked.live, ranked.terms[0].df, ranked.terms[0].idf) == (2, 1, idf(2, 1))
