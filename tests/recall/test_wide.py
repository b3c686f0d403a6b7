"""In a large namespace a hook ranks the facts that bitmaps point to: the same ones as by all postings, scored the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.hook_latency.corpus import Corpus
from gmhooks.recall import engine, wide
from gmhooks.store import facts
from gmhooks.store.bitmaps import fold
from gmhooks.store.check import verify
from gmhooks.store.create import prepare
from gmhooks.store.env import Store
from gmhooks.store.writer import run
from gmhooks.text.tokens import query_terms, terms
from tests.recall.worlds import Draft, World

LARGE = 2_000
FACTS = 4_000
TERMS = 32
OVERLAP = 0.97


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What 100,000 facts are elsewhere, 2,000 are here; every prompt with a common term is worth the work."""
    monkeypatch.setattr(engine, "EXACT_UP_TO", LARGE)
    monkeypatch.setattr(facts, "EXACT_UP_TO", LARGE)
    monkeypatch.setattr(wide, "_CHEAP", 10**9)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """4,000 facts over 390 days: sentences, and some texts of hundreds of words that repeat theirs."""
    project: Path = tmp_path_factory.mktemp("project")
    folder = str(project / ".graymatter")
    prepare(folder, str(project / "user"))
    corpus, draw = Corpus(seed=11), random.Random(11)
    drafts = []
    for number in range(FACTS):
        text = corpus.fact()
        if draw.random() < 0.1:
            text = " ".join([text, *draw.choices(text.split(), k=draw.choice((10, 60, 200)))])
        drafts.append(Draft(text, age=390 - number * 390 // FACTS))
    made = World(folder, "a").write(drafts)
    run(folder, lambda store: fold(store, exact_up_to=LARGE))
    yield made
    assert verify(folder) == []


def _prompts(world: World, kind: str) -> list[list[str]]:
    corpus, draw = Corpus(seed=12), random.Random(12)
    if kind == "short":
        asked = [corpus.short_prompt(draw.choice(world.entries).text) for _ in range(40)]
    else:
        asked = [corpus.common_prompt() if kind == "common" else corpus.log_prompt() for _ in range(40)]
    return [query_terms(text, TERMS) for text in asked]


def _top(world: World, names: list[str], monkeypatch: pytest.MonkeyPatch, *, exact: bool) -> engine.Ranked:
    with monkeypatch.context() as patched:
        if exact:
            patched.setattr(engine, "EXACT_UP_TO", 10**9)
        return world.recall(names, 4, fill=False)


@pytest.mark.parametrize("kind", ["short", "common", "long"])
def test_the_first_three_are_those_of_all_postings(kind: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = possible = 0
    for names in _prompts(world, kind):
        found, exact = (_top(world, names, monkeypatch, exact=way) for way in (False, True))
        best = {hit.doc for hit in exact.hits[:3]}
        shared += len(best & {hit.doc for hit in found.hits[:3]})
        possible += len(best)

    assert possible > 60
    assert shared / possible >= OVERLAP


@pytest.mark.parametrize("kind", ["short", "common", "long"])
def test_scores_statistics_and_matches_are_those_of_all_postings(
    kind: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in _prompts(world, kind)[:15]:
        found, exact = (_top(world, names, monkeypatch, exact=way) for way in (False, True))
        by_doc = {hit.doc: (hit.keyword, hit.matched) for hit in exact.hits}

        assert [(term.name, term.df, term.idf) for term in found.terms] == [
            (term.name, term.df, term.idf) for term in exact.terms
        ]
        assert all(by_doc.get(hit.doc, (hit.keyword, hit.matched)) == (hit.keyword, hit.matched) for hit in found.hits)
        assert all(
            [found.terms[at].name for at in hit.matched] == [n for n in dict.fromkeys(names) if n in terms(hit.fact.text)]
            for hit in found.hits
        )


def test_a_pruned_list_that_loses_facts_would_be_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide, "_KEPT", 2)
    shared = possible = 0
    for names in _prompts(world, "common"):
        found, exact = (_top(world, names, monkeypatch, exact=way) for way in (False, True))
        best = {hit.doc for hit in exact.hits[:3]}
        shared += len(best & {hit.doc for hit in found.hits[:3]})
        possible += len(best)

    assert shared / possible < OVERLAP


def test_a_fact_saved_after_the_folding_is_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Corpus(seed=13).common_prompt().split()
    world.write([Draft(" ".join(words))])

    found = _top(world, query_terms(" ".join(words), TERMS), monkeypatch, exact=False)

    assert found.hits[0].fact.text == " ".join(words)


def test_only_hooks_questions_are_narrowed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: object) -> None:
        raise AssertionError("narrowed")

    monkeypatch.setattr(engine, "narrow", never)
    names = _prompts(world, "common")[0]

    assert world.recall(names, 8).hits
    assert world.recall(names, 100, fill=False).hits
    assert world.recall(names, 4, fill=False, min_confidence=2).hits
    with pytest.raises(AssertionError, match="narrowed"):
        world.recall(names, 4, fill=False)


def test_a_namespace_that_was_never_folded_is_read_whole(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "EXACT_UP_TO", 1)
    world = World(folder, "a").write([Draft("redis cache"), Draft("redis token"), Draft("queue")])

    assert [hit.fact.text for hit in world.recall(["redi"], 4, fill=False).hits] == ["redis cache", "redis token"]


def test_a_store_from_before_bitmaps_existed_is_read_whole(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from gmhooks.store.layout import BITMAPS

    monkeypatch.setattr(engine, "EXACT_UP_TO", 1)
    world = World(folder, "a").write([Draft("redis cache"), Draft("redis token"), Draft("queue")])

    def drop(store: Store) -> None:
        store.txn.drop(store.db(BITMAPS))

    run(folder, drop)
    assert len(world.recall(["redi"], 4, fill=False).hits) == 2
