"""Scratch projects hold the data's facts with their times, and answer with the data's ids."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gmhooks import Memory
from gmhooks.bench.data import BadData, Fact
from gmhooks.bench.subject import PADDING, Subject

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


def fact(name: str, text: str, days: int = 0, *supersedes: str) -> Fact:
    return Fact(name, text, BEGIN + timedelta(days=days), supersedes)


def stored(folder: Path, project: str = "p1") -> dict[str, tuple[str, str, bool]]:
    memory = Memory(folder / project / ".graymatter", folder / "user")
    return {each.text: (each.created_at, each.source, each.live) for each in memory.list(retired=True)}


def test_facts_are_stored_with_their_own_times_and_revisions_retire_what_they_name(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    subject.ingest("n", [fact("a", "Deploys run on Friday"), fact("b", "Deploys run on Monday", 2, "a")])

    assert stored(tmp_path) == {
        "Deploys run on Friday": ("2026-01-05T09:00:00Z", "user", False),
        "Deploys run on Monday": ("2026-01-07T09:00:00Z", "user", True),
    }
    assert subject.recall("n", "when do deploys run", 5) == ["b"]


def test_a_revision_of_several_facts_retires_them_all_and_a_second_one_follows(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    facts = [
        fact("a", "Deploys run on Friday"),
        fact("b", "Deploys need a ticket", 1),
        fact("c", "Deploys run on Monday with a ticket", 2, "a", "b"),
        fact("d", "Deploys run on Sunday", 3, "c", "a"),
    ]
    subject.ingest("n", facts)

    assert subject.recall("n", "deploys", 5) == ["d"]
    assert [text for text, (_, _, live) in stored(tmp_path).items() if live] == ["Deploys run on Sunday"]


def test_a_text_said_twice_goes_by_its_newest_id(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    facts = [fact("a", "One"), fact("b", "Two", 1), fact("c", "Three", 2, "b"), fact("d", "One", 3)]
    subject.ingest("n", facts)

    assert sorted(subject.recall("n", "one three", 5)) == ["c", "d"]


def test_a_text_too_long_for_one_fact_is_stored_in_pieces_and_found_once(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    long = " ".join(f"word{number}" for number in range(900)) + " zebra zebra"
    subject.ingest("n", [fact("a", long), fact("b", "a zebra", 1)])

    assert len(stored(tmp_path)) == 3
    assert sorted(subject.recall("n", "zebra word3", 2)) == ["a", "b"]


def test_the_hook_shows_what_fits_and_keeps_silent_otherwise(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    subject.ingest("n", [fact("a", "The staging database listens on port 6543"), fact("b", "Lunch is at noon", 1)])

    for _ in range(2):
        assert subject.inject("n", "which port does the staging database use") == ["a"]
    assert subject.inject("n", "thanks, go on") == []


def test_padding_takes_part_under_ids_of_its_own(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path), ["Port 9 is closed", "Nobody opens port 9"])
    subject.ingest("n", [fact("a", "Port 80 is open")])

    assert sorted(subject.recall("n", "port", 3)) == [f"{PADDING}0", f"{PADDING}1", "a"]
    assert stored(tmp_path)["Nobody opens port 9"][0] < "2026-01-05T09"


def test_namespaces_do_not_see_each_other_and_are_gone_once_dropped(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))
    subject.ingest("m", [fact("a", "Alpha port")])
    subject.ingest("n", [fact("b", "Beta port")])

    assert (subject.recall("m", "port", 5), subject.recall("n", "port", 5)) == (["a"], ["b"])
    subject.drop("m")
    assert not (tmp_path / "p1").exists()
    with pytest.raises(BadData, match="'m' was not ingested"):
        subject.recall("m", "port", 5)


def test_a_fact_that_the_product_refuses_is_named(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path))

    with pytest.raises(BadData, match="'bad' cannot be stored"):
        subject.ingest("n", [fact("good", "fine"), fact("bad", "<private>all of it</private>")])


def test_the_environment_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAYMATTER_CLOCK", "+5")
    monkeypatch.setenv("GRAYMATTER_DISABLE", "1")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    before = dict(os.environ)
    subject = Subject(str(tmp_path))
    subject.ingest("n", [fact("a", "The staging port is 80")])

    assert subject.inject("n", "staging port") == ["a"]
    assert dict(os.environ) == before
