"""Scores count every question once, and are those of the evaluation that others use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gmhooks.bench.data import load
from gmhooks.bench.score import Plan, score
from gmhooks.bench.subject import Subject
from tests.bench.test_data import FACT, QUERY, write
from tests.shared_material import SHARED, needs_shared

CHECKOUT = Path(__file__).resolve().parents[2]


def small(folder: Path) -> str:
    facts = [FACT, FACT | {"id": "b", "text": "The port is 443", "ts": "2026-02-01T09:00:00", "supersedes": ["a"]}]
    queries = [
        QUERY | {"gold": ["b"], "stale": ["a"], "type": "revised"},
        QUERY | {"id": "m", "query": "xylophone", "gold": ["c"], "type": "missing"},
        QUERY | {"id": "n", "query": "thanks", "gold": [], "type": "noise"},
    ]
    return write(folder / "small", facts, queries)


def test_every_question_counts_once_and_misses_are_kept(tmp_path: Path) -> None:
    found = score(Subject(str(tmp_path)), load(small(tmp_path)), Plan(repeat=True, as_hook=True))
    body: Any = found.recall.as_object()

    assert (body["queries"], body["unstable"], body["noise"]["prompts"]) == (2, 0, 1)
    assert {kind: row["n"] for kind, row in body["types"].items()} == {"missing": 1, "revised": 1}
    assert body["all"]["R@5"] == 0.5
    assert body["currency"] == {"current@8": 1, "current_first": 1, "stale@8": 0, "n": 1}
    assert [query.id for query, _ in found.recall.missed] == ["m"]
    assert found.hook is not None
    assert found.hook.intruders == []


def test_without_links_both_versions_are_there(tmp_path: Path) -> None:
    body: Any = score(Subject(str(tmp_path)), load(small(tmp_path)), Plan(links=False)).recall.as_object()

    assert body["currency"]["stale@8"] == 1


def test_what_the_gate_loses_is_the_difference_at_three(tmp_path: Path) -> None:
    rows = [QUERY, QUERY | {"id": "r", "query": "where is it used", "gold": ["a"]}]
    folder = write(tmp_path / "s", [FACT], rows)
    found = score(Subject(str(tmp_path)), load(folder), Plan(as_hook=True))

    assert found.lost == 0.5
    assert score(Subject(str(tmp_path / "x")), load(folder), Plan()).lost == 0


def by_evaluation(data: Path, name: str, target: Path, *options: str) -> dict[str, Any]:
    assert SHARED is not None
    command = f"{sys.executable} -m gmhooks.bench.adapter"
    subprocess.run(
        [sys.executable, str(SHARED / "retrieval" / "evaluate.py"), "--data", str(data), "--sets", name,
         "--adapter", command, "--json", str(target), *options],
        cwd=CHECKOUT, capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    result: dict[str, Any] = json.loads(target.read_text())[name]
    return result


@needs_shared
@pytest.mark.parametrize(
    ("where", "name", "links"), [("dev", "devmem", True), ("dev", "currency", False), ("own", "projects", True)]
)
def test_scores_are_those_of_the_evaluation(tmp_path: Path, where: str, name: str, links: bool) -> None:
    assert SHARED is not None
    data = SHARED / "retrieval" / "dev" if where == "dev" else CHECKOUT / "tests" / "retrieval" / "data"
    theirs = by_evaluation(data, name, tmp_path / "result.json", *([] if links else ["--no-links"]))
    ours: Any = score(Subject(str(tmp_path)), load(str(data / name)), Plan(links=links)).recall.as_object()

    assert ours["queries"] == theirs["queries"]
    assert ours["all"] == pytest.approx(theirs["all"])
    assert set(ours["types"]) == set(theirs["types"])
    for kind, row in theirs["types"].items():
        assert ours["types"][kind] == pytest.approx(row)
    assert ours.get("noise") == pytest.approx(theirs.get("noise"))
    wanted = {key: value for key, value in theirs.get("currency", {}).items() if key != "links"}
    assert ours.get("currency", {}) == pytest.approx(wanted)
