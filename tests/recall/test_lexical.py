from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.recall.lexical import Term, doc_of, idf, leading, score
from gmhooks.store.postings import posting
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


LIVE = 60
# Of each fact its length; of each term, in which facts it occurs how often.
lengths = st.lists(st.sampled_from([9, 24, 25, 60, 200]), min_size=LIVE, max_size=LIVE) | st.just([24] * LIVE)
held = st.dictionaries(st.integers(0, LIVE - 1), st.sampled_from([1, 1, 1, 2, 5]), max_size=LIVE)
common = st.sets(st.integers(0, LIVE - 1), min_size=LIVE // 3).map(lambda docs: dict.fromkeys(docs, 1))


def made(lengths: list[int], held: list[dict[int, int]]) -> list[Term]:
    """Terms as a namespace of `LIVE` facts answers them."""
    return [
        Term(chr(97 + at), sorted([posting(tf, lengths[doc], doc) for doc, tf in docs.items()]), idf(LIVE, len(docs)))
        for at, docs in enumerate(held)
    ]


@given(lengths, st.lists(held | common, max_size=7), st.integers(1, 12))
def test_leading_facts_are_those_of_all_scores_to_the_bit(
    lengths: list[int], held: list[dict[int, int]], count: int
) -> None:
    every, some = score(made(lengths, held)), leading(made(lengths, held), count)

    def best(scores: dict[int, float]) -> list[tuple[int, float]]:
        return sorted(scores.items(), key=lambda item: (-item[1], doc_of(item[0])))[:count]

    assert best(some) == best(every)
    assert some.items() <= every.items()


def test_facts_of_none_but_common_terms_are_passed_over() -> None:
    rare, common = dict.fromkeys(range(3), 1), dict.fromkeys(range(2, 50), 1)
    assert set(map(doc_of, leading(made([24] * LIVE, [rare, common]), 3))) == {0, 1, 2}


def test_long_facts_of_two_terms_do_not_hide_short_ones_of_a_third() -> None:
    long, short = dict.fromkeys(range(10), 1), dict.fromkeys(range(10, 20), 1)
    terms = made([100] * 10 + [24] * (LIVE - 10), [long, long, short])
    assert list(map(doc_of, leading(terms, 3)))[-3:] == [10, 11, 12]
