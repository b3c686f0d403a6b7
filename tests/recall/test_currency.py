from __future__ import annotations

import itertools

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gmhooks.recall.currency import LONGEST, newer_first
from gmhooks.recall.engine import Ranked, recall
from gmhooks.recall.receipt import explain
from gmhooks.store.env import open_read
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import find
from gmhooks.text.tokens import terms
from tests.recall import judge
from tests.recall.worlds import NOW_US, Draft, World, rows

OLD = Draft("The staging port is 5432", age=9)
NEW = Draft("Since the move, staging answers on port 5433", age=2)
OTHERS = [
    *("Use pnpm, never npm", "Deploys go through argo", "Priya owns the billing service", "The wiki lives on the NAS"),
    *("Lint with ruff", "Never force-push to main", "Backups run at four in the morning"),
]
WORLD = [OLD, *(Draft(text, age=8) for text in OTHERS), NEW]
WORDS = ("deploy", "staging", "redis", "cache", "ttl", "token", "port", "api", "queue", "lock")
# "staging" answers exactly half as well as "staging redis", which is older; the rounded scores are not that exact.
HALF_AS_GOOD = [
    *(Draft(text, age=0) for text in (*["deploy"] * 7, "staging", "redis", "staging redis", "staging redis")),
    Draft("staging redis", age=1),
]
numbering = itertools.count()


def ranked_by(
    world: World, query: str, top_k: int = 8, known: dict[str, float] | None = None, **options: object
) -> Ranked:
    """What a recall on purpose returns."""
    store = open_read(world.folder)
    try:
        found = recall(
            store,
            find(store, world.agent_id),
            terms(query),
            NOW_US,
            top_k,
            spooled=world.spooled,
            **options,  # type: ignore[arg-type]
        )
        newer_first(store, found, known)
    finally:
        store.close()
    return found


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    written=st.lists(
        st.builds(
            Draft,
            text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
            age=st.sampled_from((0, 0, 1, 29, 31, 95)),
            confidence=st.integers(0, 3),
            fate=st.sampled_from(["live", "live", "live", "retired", "spooled"]),
        ),
        max_size=16,
    ),
    query=st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    weight=st.sampled_from([0.0, 0.5]),
)
@example(written=HALF_AS_GOOD, query="staging redis", weight=0.0)
def test_the_order_of_versions_is_the_naive_judges(shared_folder, written, query, weight) -> None:
    world = World(shared_folder, f"agent-{next(numbering)}").write(written)
    got = rows(ranked_by(world, query, 12, confidence_weight=weight))
    best = judge.rank(world.entries, terms(query), NOW_US, 12, confidence_weight=weight)
    assert got == judge.newer_first(best, world.entries)
    known: dict[str, float] = {}
    again = [rows(ranked_by(world, query, 12, known, confidence_weight=weight)) for query in (query, "deploy", query)]
    assert again[0] == again[2] == got


def test_the_newer_of_two_versions_goes_first_and_both_receipts_say_so(folder: str) -> None:
    world = World(folder, "a").write(WORLD)
    found = ranked_by(world, "what is the staging port")
    assert [hit.fact.text for hit in found.hits[:2]] == [NEW.text, OLD.text]
    store = open_read(folder)
    try:
        newer, older = [receipt["provenance"] for receipt in explain(store, found)[:2]]
    finally:
        store.close()
    old, new = [encode(found.hits[at].fact.id) for at in (1, 0)]
    assert (newer.get("possibly_supersedes"), newer.get("possibly_superseded_by")) == ([old], None)
    assert (older.get("possibly_supersedes"), older.get("possibly_superseded_by")) == (None, [new])


def test_facts_about_different_things_keep_their_order(folder: str) -> None:
    written = [Draft("staging db is on 5432", age=9), Draft("prod db is on 5433", age=2), *map(Draft, OTHERS)]
    found = ranked_by(World(folder, "a").write(written), "staging db port")
    assert found.hits[0].fact.text == "staging db is on 5432"
    assert found.newer == {}


def test_passages_on_one_subject_are_no_versions_of_each_other(folder: str) -> None:
    words = " ".join(f"word{n}" for n in range(LONGEST))
    written = [Draft(f"staging port of the first {words}", age=9), Draft(f"staging of the second {words}", age=2)]
    found = ranked_by(World(folder, "a").write(written), "staging port")
    assert found.hits[0].fact.text == written[0].text
    assert found.newer == {}


def test_a_short_answer_is_the_beginning_of_a_longer_one(folder: str) -> None:
    chain = [Draft(f"the staging port is {5400 + n}", age=90 - n) for n in range(30)]
    world = World(folder, "a").write([*chain, *map(Draft, OTHERS)])
    longer = [hit.fact.text for hit in ranked_by(world, "staging port 5402", 20).hits]
    assert [hit.fact.text for hit in ranked_by(world, "staging port 5402", 8).hits] == longer[:8]
