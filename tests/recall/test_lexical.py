from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.recall.lexical import idf
from tests.recall.worlds import Draft, World


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_term_has_a_positive_weight(live: int, df: int) -> None:
    assert idf(max(live, df), df) > 0


def test_a_repeated_query_term_counts_once(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("token")])
    once, twice = world.recall(["redi"]), world.recall(["redi", "redi"])
    assert [hit.keyword for hit in once.hits] == [hit.keyword for hit in twice.hits]


def test_a_retired_fact_leaves_the_statistics(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("redis", fate="retired"), Draft("token")])
    ranked = world.recall(["redi"])
    assert (ranked.live, ranked.terms[0].df, ranked.terms[0].idf) == (2, 1, idf(2, 1))
