from __future__ import annotations

import pytest

from gmhooks.recall.engine import Ranked, recall
from gmhooks.recall.receipt import explain
from gmhooks.recall.spelling import Correction, corrections
from gmhooks.store.env import open_read
from gmhooks.store.namespaces import find
from gmhooks.text.tokens import query_terms
from tests.recall import judge
from tests.recall.worlds import NOW_US, Draft, World, rows

TEXTS = (
    "Primary database is PostgreSQL 16; migrations are run with Alembic",
    "Background jobs run on Dramatiq with RabbitMQ",
    "Every write endpoint takes an Idempotency-Key",
    "The staging jobs run at night",
)


def asked(world: World, query: str) -> tuple[Ranked, list[Correction]]:
    """The ranking of a query as it is meant, and what was corrected."""
    store = open_read(world.folder)
    try:
        ns = find(store, world.agent_id)
        terms = query_terms(query)
        found = corrections(store, query, [recall(store, ns, terms, NOW_US, spooled=world.spooled)])
        return recall(store, ns, terms, NOW_US, spooled=world.spooled, corrected=found), found
    finally:
        store.close()


@pytest.mark.parametrize(
    ("query", "typed", "known"),
    [
        ("alembic migratons", "migratons", "migrations"),
        ("dramatic jobs", "dramatic", "dramatiq"),
        ("rabitmq", "rabitmq", "rabbitmq"),
        ("idempotncy of writes", "idempotncy", "idempotency"),
        ("satging machines", "satging", "staging"),
        ("atabase", "atabase", None),
    ],
)
def test_a_mistyped_word_is_read_as_the_known_one(folder: str, query: str, typed: str, known: str | None) -> None:
    _, found = asked(World(folder, "a").write(map(Draft, TEXTS)), query)
    assert [(each.typed, each.known) for each in found] == ([(typed, known)] if known else [])


@pytest.mark.parametrize("query", ["staging jobs", "kafka", "jobz", "sta 1234 x", ""])
def test_known_short_and_distant_words_stay_as_they_are(folder: str, query: str) -> None:
    assert asked(World(folder, "a").write(map(Draft, TEXTS)), query)[1] == []


def test_a_steering_word_of_another_language_is_no_mistyped_one(folder: str) -> None:
    written = World(folder, "a").write(map(Draft, ("The writer flushes twice", "Only one wwiter may run")))
    assert asked(written, "mach weiter")[1] == []
    assert [each.known for each in asked(written, "the writter")[1]] == ["writer"]


def test_the_word_that_most_facts_hold_is_taken(folder: str) -> None:
    written = map(Draft, ("stages of grief", "the staged files", "more staged files", "a stager"))
    _, found = asked(World(folder, "a").write(written), "stagex")
    assert [each.known for each in found] == ["staged"]


def test_a_corrected_term_counts_seven_tenths(folder: str) -> None:
    world = World(folder, "a").write([*map(Draft, TEXTS), Draft("Alembic runs in staging", fate="spooled")])
    ranked, (correction,) = asked(world, "alembci jobs")
    assert [term.name for term in ranked.terms] == ["alemb", "job"]
    assert rows(ranked) == judge.rank(world.entries, ["alemb", "job"], NOW_US, 8, corrected={correction.known_term})


def test_a_retired_fact_corrects_nothing(folder: str) -> None:
    _, found = asked(World(folder, "a").write([Draft("Alembic", fate="retired"), Draft("other")]), "alembci")
    assert found == []


def test_the_receipt_names_the_correction(folder: str) -> None:
    ranked, _ = asked(World(folder, "a").write(map(Draft, TEXTS)), "alembic migratons")
    store = open_read(folder)
    try:
        first, second = explain(store, ranked)[:2]
    finally:
        store.close()
    assert (first["read_as"], "read_as" in second) == ({"migratons": "migrations"}, False)
