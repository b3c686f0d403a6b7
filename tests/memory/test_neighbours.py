from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gmhooks.memory import neighbours
from gmhooks.memory.api import Memory
from gmhooks.memory.neighbours import PART, Smoothed, parts_of, smoothed
from gmhooks.recall.engine import recall
from gmhooks.recall.receipt import explain
from gmhooks.store.env import open_read
from gmhooks.store.facts import add, erase, get
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import USER
from gmhooks.store.writer import run
from gmhooks.text.tokens import terms
from tests.recall import judge
from tests.recall.worlds import NOW_US, Draft, World, rows

WORDS = ("deploy", "staging", "redis", "cache", "ttl", "token")
drafts = st.builds(
    Draft,
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    age=st.sampled_from([40, 40, 40, 1]),
    confidence=st.integers(0, 3),
    fate=st.sampled_from(["live", "live", "live", "live", "retired", "spooled"]),
    seconds=st.sampled_from([0, 1, 300, 600, 601, 1200, 5000]),
)
queries = st.lists(st.sampled_from((*WORDS, "unheard")), max_size=4).map(lambda words: terms(" ".join(words)))
numbering = itertools.count()


@pytest.fixture
def folder(memory: Memory) -> str:
    return memory.data_dir


def ask(world: World, query: list[str], top_k: int = 8, **options: object) -> Smoothed:
    store = open_read(world.folder)
    try:
        limits = {"spooled": world.spooled, "min_confidence": options.get("min_confidence")}
        plain = recall(store, find(store, world.agent_id), query, NOW_US, top_k, **limits | options)  # type: ignore[arg-type]
        return smoothed(store, plain, top_k, **limits)  # type: ignore[arg-type]
    finally:
        store.close()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    written=st.lists(drafts, max_size=12),
    in_order=st.booleans(),
    query=queries,
    top_k=st.sampled_from([0, 1, 3, 8, 20]),
    chosen=st.fixed_dictionaries(
        {},
        optional={"min_confidence": st.sampled_from([2, 3]), "confidence_weight": st.sampled_from([0.0, 0.5])},
    ),
)
def test_smoothing_ranks_as_the_naive_judge(shared_folder, written, in_order, query, top_k, chosen) -> None:
    if in_order:
        written = sorted(written, key=lambda draft: (-draft.age, draft.seconds))
    world = World(shared_folder, f"agent-{next(numbering)}").write(written)
    assert rows(ask(world, query, top_k, **chosen)) == judge.rank(
        world.entries, query, NOW_US, top_k, neighbours=True, **chosen
    )


def test_only_the_best_pass_anything_on(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "GIVERS", 1)
    world = World(folder, "a").write(
        [Draft("redis redis cache"), Draft("beside the best"), *[Draft(f"gap {n}", age=-n) for n in (1, 2)]]
        + [Draft("redis cache", age=-3), Draft("beside the other", age=-3)]
    )
    found = {hit.fact.text: hit.keyword_rank for hit in ask(world, ["redi"]).hits}
    assert (found["beside the best"] > 0, found["beside the other"]) == (True, 0)


def test_a_fact_without_a_word_of_the_question_follows_the_one_beside_it(folder: str) -> None:
    talk = [
        Draft("Which editor do you use?", age=2),
        Draft("Helix, since last spring", age=2, seconds=20),
        Draft("Lunch?", age=1),
    ]
    found = ask(World(folder, "a").write(talk), terms("editor"), 2)
    assert [(hit.fact.text, hit.keyword_rank, hit.matched) for hit in found.hits] == [
        ("Which editor do you use?", 1, [0]),
        ("Helix, since last spring", 2, []),
    ]
    assert len(found.shares) == 2


def test_an_erased_fact_between_two_does_not_part_them(folder: str) -> None:
    world = World(folder, "a").write([Draft("redis cache"), Draft("to be erased", seconds=1), Draft("tokens", seconds=2)])

    def purge(store) -> None:
        ns = ensure(store, "a")
        fact = get(store, ns.number, 1)
        assert fact is not None
        erase(store, ns, fact)

    run(folder, purge)
    assert [hit.fact.text for hit in ask(world, ["redi"]).hits if hit.keyword_rank] == ["redis cache", "tokens"]


def test_the_receipt_says_what_a_score_is_made_of(folder: str) -> None:
    World(folder, "a").write(
        [Draft("redis cache", age=2), Draft("redis ttl", age=2, seconds=9), Draft("lunch at noon", age=1)]
    )
    store = open_read(folder)
    try:
        plain = recall(store, find(store, "a"), ["redi", "ttl"], NOW_US)
        found = smoothed(store, plain, 8)
        receipts = {receipt["text"]: receipt.get("smoothed") for receipt in explain(store, found, smoothed=parts_of(found))}
        assert all("smoothed" not in receipt for receipt in explain(store, plain, smoothed=parts_of(plain)))
    finally:
        store.close()
    alone = {hit.fact.text: hit.keyword for hit in plain.hits}
    first, second = alone["redis cache"], alone["redis ttl"]
    assert receipts == {
        "redis ttl": {
            "keyword_score": second + PART * first, "own": second, "before": first, "after": 0.0, "part": PART,
        },
        "redis cache": {
            "keyword_score": first + PART * second, "own": first, "before": 0.0, "after": second, "part": PART,
        },
        "lunch at noon": None,
    }  # fmt: skip


def test_an_unknown_namespace_is_empty(folder: str) -> None:
    store = open_read(folder)
    try:
        assert smoothed(store, recall(store, None, ["redi"], NOW_US), 8).hits == []
    finally:
        store.close()


def test_order_does_not_depend_on_how_many_are_asked_for(folder: str) -> None:
    def write(store) -> None:
        ns = ensure(store, "a")
        for at in range(60):
            text = f"{WORDS[at % 6]} {WORDS[at % 5]} number {at}"
            add(store, ns, text, NOW_US + at * 200_000_000, USER, as_dated=True)

    run(folder, write)
    world = World(folder, "a")
    whole = [hit.fact.id for hit in ask(world, ["redi", "cach"], 60).hits]
    for top_k in (1, 3, 8, 20):
        assert [hit.fact.id for hit in ask(world, ["redi", "cach"], top_k).hits] == whole[:top_k]
