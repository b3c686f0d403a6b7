"""`graymatter bench`: figures for people, all of them as JSON, and an exit code that tells bad data from bad figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.test_data import FACT, QUERY, write
from tests.cli.program import Place


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    questions = [QUERY, QUERY | {"id": "n", "query": "which port is on the moon", "gold": [], "type": "noise"}]
    missed = QUERY | {"id": "m", "query": "xylophone", "gold": ["c"], "type": "missing"}
    write(folder / "one", [FACT], [*questions, missed])
    write(folder / "two", [FACT], [QUERY])
    return folder


def test_lines_name_every_set_with_its_figures(bare: Place, data: Path) -> None:
    ran = bare.ok("bench", "retrieval", "--data", str(data), "--as-hook", "--misses")

    assert ran.out.splitlines()[0].startswith("one: 2 questions, R@1 0.500, R@3 0.500")
    assert "R@5 by type: lexical 1.000 (1), missing 0.000 (1)" in ran.out
    assert "1 unrelated prompts 100.0% got a fact, 1.000 facts each" in ran.out
    assert "missed: missing 'xylophone' wants c, got a" in ran.out
    assert "unrelated: 'which port is on the moon' got a" in ran.out
    assert "two: 1 question, R@1 1.000" in ran.out


def test_json_holds_every_measure_of_the_sets_that_were_named(bare: Place, data: Path) -> None:
    found = bare.ok("bench", "retrieval", "--data", str(data), "--sets", "one", "--as-hook", "--misses", "--json").data

    assert list(found["sets"]) == ["one"]
    one = found["sets"]["one"]
    assert one["all"]["R@8"] == 0.5
    assert one["missed"] == [{"id": "m", "gold": ["c"], "ids": ["a"]}]
    assert one["as_hook"]["noise"]["facts_per_prompt"] == 1
    assert one["intruders"] == [{"id": "n", "gold": [], "ids": ["a"]}]
    assert found["unstable"] == 0


def test_padding_links_and_repetition_are_options(bare: Place, data: Path) -> None:
    pad = f"{data}/two/facts.jsonl:1"
    found = bare.ok(
        "bench", "retrieval", "--data", str(data), "--sets", "two", "--pad", pad, "--no-links", "--repeat", "--json"
    ).data

    assert found["sets"]["two"]["queries"] == 1


def test_neighbours_count_when_asked_for(bare: Place, tmp_path: Path) -> None:
    rows = [FACT | {"id": name, "text": text} for name, text in (("a", "Which port?"), ("b", "6543"), ("c", "Lunch"))]
    rows[2]["ts"] = "2026-02-01T09:00:00"
    write(tmp_path / "talk", rows, [QUERY | {"query": "port", "gold": ["b"]}])
    asked = ("bench", "retrieval", "--data", str(tmp_path), "--sets", "talk", "--top-k", "2", "--json")
    plain, near = (bare.ok(*asked, *more).data["sets"]["talk"]["all"] for more in ((), ("--neighbours",)))

    assert (plain["R@3"], near["R@3"]) == (0, 1)


def test_the_project_at_hand_is_left_alone(bare: Place, data: Path) -> None:
    bare.ok("bench", "retrieval", "--data", str(data), "--as-hook")

    assert list(bare.project.iterdir()) == []
    assert not bare.user_dir.exists()


def test_data_that_cannot_be_used_is_a_refusal_with_its_place(bare: Place, data: Path) -> None:
    (data / "one" / "facts.jsonl").write_text("{]\n")
    ran = bare.run("bench", "retrieval", "--data", str(data), "--json")

    assert ran.code == 1
    assert ran.data["error"]["code"] == "bad_data"
    assert "facts.jsonl, line 1: it is not a JSON object" in ran.data["error"]["message"]


@pytest.mark.parametrize("words", [("--top-k", "0"), ("--sets", "three"), ()])
def test_wrong_usage_is_told(bare: Place, data: Path, words: tuple[str, ...]) -> None:
    named = ("--data", str(data)) if words else ()

    assert bare.run("bench", "retrieval", *named, *words).code == 2
