"""The protocol: one answer a line, in order; what cannot be served is answered with an error and the next request is."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from gmhooks.bench.adapter import padding, serve
from gmhooks.bench.data import BadData
from gmhooks.bench.subject import Subject
from tests.shared_material import SHARED, needs_shared

CHECKOUT = Path(__file__).resolve().parents[2]
FACTS = [
    {"id": "a", "ns": "n", "text": "The staging database listens on port 6543", "ts": "2026-01-05T09:00:00"},
    {"id": "b", "ns": "n", "text": "Lunch is at noon", "ts": "2026-01-06T09:00:00"},
]


def answers(folder: Path, *requests: object, as_hook: bool = False) -> list[dict[str, Any]]:
    said = StringIO()
    lines = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in requests)
    serve(StringIO(lines), said, Subject(str(folder)), as_hook=as_hook)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def query(text: str, top_k: int = 1) -> dict[str, object]:
    return {"op": "query", "ns": "n", "query": text, "k": top_k, "id": "q"}


def test_a_namespace_is_ingested_asked_and_dropped(tmp_path: Path) -> None:
    ingest = {"op": "ingest", "ns": "n", "facts": FACTS}
    said = answers(tmp_path, ingest, query("port of staging"), {"op": "drop", "ns": "n"}, {"op": "quit"}, query("x"))

    assert said == [{"ok": True, "count": 2}, {"id": "q", "ids": ["a"]}, {"ok": True}]


def test_as_hook_it_abstains_from_what_has_nothing_to_do_with_a_fact(tmp_path: Path) -> None:
    said = answers(
        tmp_path, {"op": "ingest", "ns": "n", "facts": FACTS}, query("thanks"), query("staging port"), as_hook=True
    )

    assert said[1:] == [{"id": "q", "ids": []}, {"id": "q", "ids": ["a"]}]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("{]", "not a request: JSONDecodeError"),
        ({"op": "ingest"}, "not a request: KeyError: 'ns'"),
        ({"op": "fly", "ns": "n"}, "unknown op 'fly'"),
        (query("x"), "the namespace 'n' was not ingested"),
        ({"op": "ingest", "ns": "n", "facts": [{"id": "a"}]}, "fact 1 of 'n': its ts is missing"),
    ],
)
def test_a_wrong_request_is_told_and_the_next_one_served(tmp_path: Path, request_: object, told: str) -> None:
    said = answers(tmp_path, request_, {"op": "ingest", "ns": "n", "facts": FACTS})

    assert said[0]["error"].startswith(told)
    assert said[1] == {"ok": True, "count": 2}


def test_padding_takes_its_places_and_is_never_named_in_answers(tmp_path: Path) -> None:
    said = StringIO()
    lines = "".join(
        json.dumps(each) + "\n" for each in ({"op": "ingest", "ns": "n", "facts": FACTS}, query("lunch", 2))
    )
    serve(StringIO(lines), said, Subject(str(tmp_path), ["lunch lunch lunch"]), as_hook=False)

    assert json.loads(said.getvalue().splitlines()[1])["ids"] == ["b"]


def test_padding_is_named_by_file_and_count(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(json.dumps(fact) + "\n" for fact in FACTS))

    assert padding(f"{path}:1") == [FACTS[0]["text"]]
    for wrong in (str(path), f"{path}:many", ":3"):
        with pytest.raises(BadData, match="is not FILE:COUNT"):
            padding(wrong)


def test_the_module_serves_a_pipe_and_ends_with_its_input() -> None:
    lines = "".join(json.dumps(each) + "\n" for each in ({"op": "ingest", "ns": "n", "facts": FACTS}, query("lunch")))
    ran = subprocess.run(
        [sys.executable, "-m", "gmhooks.bench.adapter"], input=lines, cwd=CHECKOUT, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip

    assert [json.loads(line) for line in ran.stdout.splitlines()] == [
        {"ok": True, "count": 2},
        {"id": "q", "ids": ["b"]},
    ]


@needs_shared
@pytest.mark.parametrize("options", ["", " --as-hook"])
def test_the_evaluation_finds_no_fault_in_the_protocol(tmp_path: Path, options: str) -> None:
    assert SHARED is not None
    result = tmp_path / "result.json"
    command = f"{sys.executable} -m gmhooks.bench.adapter{options}"
    ran = subprocess.run(
        [sys.executable, str(SHARED / "retrieval" / "evaluate.py"), "--data", str(SHARED / "retrieval" / "dev"),
         "--sets", "devmem,currency", "--repeat", "--adapter", command, "--json", str(result)],
        cwd=CHECKOUT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert all(not any(each["faults"].values()) for each in json.loads(result.read_text()).values())
