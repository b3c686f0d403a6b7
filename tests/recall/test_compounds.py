"""Compounds are found whichever way question and fact spell them, and only in spellings that some fact holds."""

from __future__ import annotations

import pytest

from gmhooks.recall.compounds import other_spellings
from gmhooks.recall.engine import recall
from gmhooks.store.env import open_read
from gmhooks.store.namespaces import find
from gmhooks.text.tokens import query_terms
from tests.recall.worlds import NOW_US, Draft, World

FACTS = [
    "A hotfix needs two signatures",
    "The back office is a Svelte site",
    "Give your birth date",
    "The day ends at four",
    "Docking stations are serviced in May",
    "The file of a log has a name that begins with the tail number",
    "Every file has an owner",
    "Die Tests laufen auf dem Bildschirm",
]


def spelled(folder: str, text: str, *spaces: str) -> list[str]:
    store = open_read(folder)
    try:
        rankings = [
            recall(store, find(store, name), query_terms(text), NOW_US, 4, fill=False) for name in spaces or ("a",)
        ]
        return other_spellings(store, text, rankings)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("who signs a hot fix", ["hotfix"]),
        ("is it in the Backoffice", ["back", "offic"]),
        ("dockingstation", ["dock", "station"]),
        ("what filename has it", ["file", "name"]),
        ("auf welchem Bild Schirm", ["bildschirm"]),
    ],
)
def test_the_other_spelling_is_asked_as_well(folder: str, text: str, terms: list[str]) -> None:
    World(folder, "a").write(map(Draft, FACTS))

    assert spelled(folder, text) == terms


@pytest.mark.parametrize(
    "text", ["hotfix", "who owns the file", "cold fix", "birthday", "timestamp", "photosynthesis", "", "hot/fix 12"]
)
def test_nothing_is_added_without_a_fact_that_spells_it_so(folder: str, text: str) -> None:
    World(folder, "a").write(map(Draft, FACTS))

    assert spelled(folder, text) == []


def test_parts_may_lie_in_any_namespace_that_was_asked(folder: str) -> None:
    World(folder, "a").write([Draft("We have an office")])
    World(folder, "s").write([Draft("The hotfix went to the back office")])

    assert spelled(folder, "backoffice", "a", "s") == ["back", "offic"]
    assert spelled(folder, "backoffice", "a") == []
    assert spelled(folder, "hot fix", "a", "s") == ["hotfix"]


def test_parts_that_never_meet_in_one_fact_are_no_spelling_of_the_whole(folder: str) -> None:
    World(folder, "a").write([Draft("We have an office")])
    World(folder, "s").write([Draft("It went back")])

    assert spelled(folder, "backoffice", "a", "s") == []


def test_of_several_ways_to_split_the_rarer_pair_counts(folder: str) -> None:
    World(folder, "a").write(map(Draft, ["car pets", "carp ets one", "carp ets two"]))

    assert spelled(folder, "carpets") == ["car", "pet"]
