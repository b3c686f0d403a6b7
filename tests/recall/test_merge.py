from __future__ import annotations

from gmhooks.recall.engine import Hit
from gmhooks.recall.fuse import base
from gmhooks.recall.merge import batch, recall_all, without_repeats
from gmhooks.store.records import USER, Fact


def hits(ns: int, texts: str) -> list[Hit]:
    """One hit a word, best first."""
    made = []
    for at, text in enumerate(texts.split(), 1):
        fact = Fact(ns, at, bytes(16), text, 0, USER)
        made.append(Hit(fact, (-base(0, at, 1), at, 0, at, 1, at), 1.0, [0], 0.0))
    return made


def fillers(ns: int, texts: str) -> list[Hit]:
    """The same, of facts that do not match."""
    made = hits(ns, texts)
    for hit in made:
        hit.keyword_rank = 0
    return made


def shown(merged: list[Hit]) -> list[tuple[int, str]]:
    return [(hit.fact.ns, hit.fact.text) for hit in merged]


def test_a_text_in_both_scopes_adds_up_and_is_the_agents() -> None:
    merged = recall_all(hits(1, "a b c"), hits(2, "x c"), 8)
    assert shown(merged) == [(1, "c"), (1, "a"), (2, "x"), (1, "b")]


def test_the_agents_fact_goes_first_at_equal_position() -> None:
    assert shown(recall_all(hits(1, "a"), hits(2, "b"), 1)) == [(1, "a")]


def test_matches_of_either_list_go_before_fillers_of_both() -> None:
    merged = recall_all(fillers(1, "a b c"), [*hits(2, "x"), *fillers(2, "y")], 8)
    assert shown(merged) == [(2, "x"), (1, "a"), (1, "b"), (2, "y"), (1, "c")]


def test_a_filler_adds_nothing_to_a_match_of_the_same_text() -> None:
    assert shown(recall_all(fillers(1, "x"), hits(2, "a x"), 8)) == [(2, "a"), (1, "x")]


def test_without_matches_fillers_are_fused() -> None:
    assert shown(recall_all(fillers(1, "a b"), fillers(2, "b c"), 2)) == [(1, "b"), (1, "a")]


def test_no_more_than_asked_and_nothing_for_nothing() -> None:
    assert recall_all(hits(1, "a b"), hits(2, "c"), 0) == recall_all([], [], 8) == []


def test_a_batch_orders_by_best_rank_then_queries_hit_then_first_seen() -> None:
    merged = batch([hits(1, "a b"), hits(1, "c d b"), hits(1, "e b")])
    assert shown(merged) == [(1, "a"), (1, "c"), (1, "e"), (1, "b"), (1, "d")]


def test_repeats_are_left_out_of_the_other_list() -> None:
    assert shown(without_repeats(hits(1, "a b"), hits(2, "b c"))) == [(2, "c")]
