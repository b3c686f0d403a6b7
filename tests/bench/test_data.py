"""Sets are read as they are; whatever is wrong with one is told with its place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gmhooks.bench.data import BadData, Fact, Query, Space, fact, load, set_names, texts

FACT = {"id": "a", "ns": "n", "text": "The port is 80", "ts": "2026-01-05T09:00:00"}
QUERY = {"id": "q", "ns": "n", "query": "which port", "gold": ["a"], "type": "lexical"}


def write(folder: Path, facts: list[object], queries: list[object]) -> str:
    folder.mkdir(exist_ok=True)
    for name, rows in (("facts", facts), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder)


def test_a_set_is_its_namespaces_with_facts_and_questions_in_order(tmp_path: Path) -> None:
    newer = FACT | {"id": "b", "ts": "2026-01-06T09:00:00+02:00", "supersedes": ["a"]}
    folder = write(tmp_path / "s", [FACT, newer], [QUERY | {"gold": ["b"], "stale": ["a"]}])

    assert load(folder) == [
        Space(
            "n",
            (
                Fact("a", "The port is 80", datetime(2026, 1, 5, 9, tzinfo=UTC)),
                Fact("b", "The port is 80", datetime(2026, 1, 6, 7, tzinfo=UTC), ("a",)),
            ),
            (Query("q", "which port", ("b",), ("a",), "lexical"),),
        )
    ]


def test_sets_are_the_folders_with_questions_sorted(tmp_path: Path) -> None:
    for name in ("z", "b"):
        write(tmp_path / name, [FACT], [QUERY])
    (tmp_path / "other").mkdir()

    assert set_names(str(tmp_path)) == ["b", "z"]


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="no folder in it has a queries"):
        set_names(str(tmp_path))
    with pytest.raises(BadData, match="No such file"):
        set_names(str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ts": "yesterday"}, "no ISO 8601 time: 'yesterday'"),
        ({"text": 3}, "its text is missing or no text"),
        ({"supersedes": "a"}, "its supersedes is no list of ids"),
    ],
)
def test_a_wrong_fact_is_told_with_its_line(tmp_path: Path, change: dict[str, object], told: str) -> None:
    folder = write(tmp_path / "s", [FACT, FACT | change], [QUERY])

    with pytest.raises(BadData, match=rf"facts\.jsonl, line 2: {told}"):
        load(folder)


def test_a_question_without_gold_is_no_unrelated_prompt(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", [FACT], [{key: QUERY[key] for key in ("id", "ns", "query")}])

    with pytest.raises(BadData, match="line 1: it has no gold"):
        load(folder)


@pytest.mark.parametrize("raw", [b"{]\n", b"[]\n", b"\xff\n"])
def test_lines_that_are_no_objects_are_told(tmp_path: Path, raw: bytes) -> None:
    folder = write(tmp_path / "s", [FACT], [QUERY])
    (tmp_path / "s" / "facts.jsonl").write_bytes(raw)

    with pytest.raises(BadData, match=r"facts\.jsonl"):
        load(folder)


def test_texts_are_as_many_as_asked_or_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", [FACT, FACT | {"text": "Two"}, FACT], [QUERY])

    assert texts(f"{folder}/facts.jsonl", 2) == ["The port is 80", "Two"]
    with pytest.raises(BadData, match="3 facts, 4 wanted"):
        texts(f"{folder}/facts.jsonl", 4)


def test_a_fact_of_a_request_names_its_place_in_errors() -> None:
    with pytest.raises(BadData, match="fact 7: its id is missing"):
        fact({"text": "x", "ts": "2026-01-01"}, "fact 7")
