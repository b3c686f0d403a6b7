from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gmhooks.recall.engine import recall
from gmhooks.store.env import open_read
from gmhooks.text.tokens import terms
from tests.recall import judge
from tests.recall.worlds import NOW_US, Draft, World, rows

WORDS = ("deploy", "staging", "redis", "cache", "ttl", "token", "not", "API")
AGES = (0, 0, 1, 29, 30, 31, 61, 95, 400, -2)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
drafts = st.builds(
    Draft,
    text=texts | st.sampled_from(["redis cache", "redis cache ttl " * 12]),
    age=st.sampled_from(AGES),
    confidence=st.integers(0, 3),
    fate=st.sampled_from(["live", "live", "live", "retired", "pinned", "spooled"]),
)
queries = st.lists(st.sampled_from(WORDS + ("unheard",)), max_size=5).map(lambda words: terms(" ".join(words)))
options = st.fixed_dictionaries(
    {"fill": st.booleans()},
    optional={
        "min_confidence": st.sampled_from([1, 2, 3]),
        "confidence_weight": st.sampled_from([0.0, 0.1, 0.5]),
    },
)
numbering = itertools.count()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    written=st.lists(drafts, max_size=14),
    in_order=st.booleans(),
    query=queries,
    top_k=st.sampled_from([-1, 0, 1, 3, 8, 20]),
    chosen=options,
    picks=st.none() | st.randoms(use_true_random=False),
)
def test_the_engine_ranks_as_the_naive_judge(shared_folder, written, in_order, query, top_k, chosen, picks) -> None:
    if in_order:
        written = sorted(written, key=lambda draft: -draft.age)
    world = World(shared_folder, f"agent-{next(numbering)}").write(written)
    World(shared_folder, f"agent-{next(numbering)}").write([Draft("redis cache deploy staging token")])
    vectors: list[bytes] = []
    if picks is not None:
        vectors = picks.sample(sorted(world.docs), min(5, len(world.docs)))
    vector_ranks = {world.docs[fact_id]: 3 * at + 2 for at, fact_id in enumerate(vectors)}
    got = world.recall(query, top_k, vector_ranks=vector_ranks, **chosen)
    assert rows(got) == judge.rank(world.entries, query, NOW_US, top_k, vectors=vectors, **chosen)


@pytest.mark.parametrize("in_order", [True, False])
def test_a_cut_candidate_list_loses_nothing(folder: str, in_order: bool) -> None:
    chance = random.Random(4)
    written = [
        Draft(" ".join(chance.choices(WORDS, k=chance.randint(1, 40))), age=chance.randrange(1200)) for _ in range(700)
    ]
    if in_order:
        written.sort(key=lambda draft: -draft.age)
    world = World(folder, "big").write(written)
    queries = (["redi"], ["redi", "api", "cach"], ["not", "ttl", "token", "stage"])
    for top_k, query, fill in itertools.product((3, 8, 20), queries, (True, False)):
        assert rows(world.recall(query, top_k, fill=fill)) == judge.rank(world.entries, query, NOW_US, top_k, fill=fill)


def test_equal_texts_are_returned_once_and_the_next_text_moves_up(folder: str) -> None:
    copies = [Draft("redis cache", age=age) for age in range(40, 10, -1)]
    world = World(folder, "a").write([*copies, Draft("redis cache ttl", age=3), Draft("cache of tokens", age=2)])
    found = [hit.fact.text for hit in world.recall(["redi", "cach"], 3).hits]
    assert found == ["redis cache", "redis cache ttl", "cache of tokens"]


def test_an_empty_query_is_newest_first(folder: str) -> None:
    world = World(folder, "a").write([Draft(f"fact {age}", age=age) for age in (9, 5, 2)])
    ranked = world.recall([], 2)
    assert [(hit.fact.text, hit.recency_rank) for hit in ranked.hits] == [("fact 2", 1), ("fact 5", 2)]


def test_without_fill_only_matches_are_returned(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("token rotation")])
    assert [hit.fact.text for hit in world.recall(["redi"], fill=False).hits] == ["redis cache"]


def test_a_match_names_the_terms_it_holds(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache ttl"), Draft("redis", fate="spooled")])
    ranked = world.recall(["unheard", "ttl", "redi"])
    assert [term.name for term in ranked.terms] == ["unheard", "ttl", "redi"]
    assert {hit.fact.text: hit.matched for hit in ranked.hits} == {"redis cache ttl": [1, 2], "redis": [2]}


def test_spooled_facts_answer_before_the_store_has_any(folder: str) -> None:
    world = World(folder, "a").write([Draft("the staging VPN", fate="spooled")])
    store = open_read(folder)
    try:
        ranked = recall(store, None, ["stage"], NOW_US, spooled=world.spooled)
    finally:
        store.close()
    assert [(hit.fact.text, hit.doc < 0, hit.keyword_rank) for hit in ranked.hits] == [("the staging VPN", True, 1)]


def test_an_unknown_namespace_is_empty(folder: str) -> None:
    assert World(folder, "nobody").recall(["redi"]).hits == []
