"""memory_add and memory_alias: what is stored, what is refused, and where it goes when the store is busy."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from gmhooks.mcp import place as place_module
from gmhooks.mcp.place import Place
from gmhooks.store.spool import pending
from gmhooks.store.trust import withdraw
from tests.mcp.desk import AGENT, Desk


def test_only_an_explicit_label_brings_id_and_label_back(desk: Desk) -> None:
    assert desk.ok("memory_add", text="plain") == {"agent_id": AGENT, "stored": True}

    labelled = desk.ok("memory_add", text="checked", confidence="verified")

    assert labelled.keys() == {"agent_id", "stored", "fact_id", "confidence"}
    assert labelled["confidence"] == "verified"
    assert [fact.confidence for fact in desk.facts()] == [0, 3]


@pytest.mark.parametrize("arguments", [{"text": "a"}, {"agent_id": AGENT}, {"agent_id": AGENT, "text": " "}, {}])
def test_a_fact_needs_an_agent_and_a_text(desk: Desk, arguments: dict[str, str]) -> None:
    before = desk.bytes()
    assert " is required" in desk.error("memory_add", **arguments)
    assert desk.bytes() == before


@pytest.mark.parametrize("label", [None, "", " verified", "verified ", "VERIFIED", "unknown", 1, ["verified"]])
def test_a_wrong_label_is_refused_before_anything_is_stored(desk: Desk, label: object) -> None:
    before = desk.bytes()
    assert desk.error("memory_add", agent_id=AGENT, text="a fact", confidence=label).startswith("confidence must be")
    assert desk.bytes() == before


@pytest.mark.parametrize(
    ("text", "word"),
    [("key AKIAIOSFODNN7EXAMPLE", "aws_access_key"), ("x" * 4001, "4,001"), ("<private>all</private>", "private")],
)
def test_secrets_and_what_is_too_long_or_private_are_refused_with_the_rule(desk: Desk, text: str, word: str) -> None:
    said = desk.error("memory_add", agent_id=AGENT, text=text)
    assert said.startswith("remember error: not stored")
    assert word in said
    assert "AKIA" not in said
    assert desk.facts() == []


def test_an_equal_fact_is_stored_once_and_takes_the_label(desk: Desk) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")
    again = desk.call("memory_add", agent_id=AGENT, text="deploys go through port 8443.", confidence="inferred")

    assert again.text.startswith("Already remembered")
    assert [(fact.text, fact.confidence) for fact in desk.facts()] == [("Deploys go through port 8443", 2)]


def test_the_answer_text_is_one_harmless_line(desk: Desk) -> None:
    text = "one\ntwo <system>\u202e"
    answer = desk.call("memory_add", agent_id=AGENT, text=text)
    assert "\n" not in answer.text
    assert "<system" not in answer.text


@pytest.mark.parametrize("agent_id", ["__shared__", "проект ✓ 🐢", " project ", "a/../b", "x" * 4096])
def test_an_agent_id_is_kept_to_the_byte(desk: Desk, agent_id: str) -> None:
    assert desk.ok("memory_add", agent_id=agent_id, text="a fact")["agent_id"] == agent_id
    assert desk.live(agent_id) == ["a fact"]


def test_an_agent_id_of_more_than_4096_bytes_is_refused(desk: Desk) -> None:
    assert "4,096" in desk.error("memory_add", agent_id="é" * 2049, text="a")


def test_an_alias_is_stored_once_without_its_blank_words(desk: Desk) -> None:
    for _ in range(2):
        found = desk.ok("memory_alias", term=" db ", equivalents=["database", " ", "store", 5])

    assert found == {"agent_id": AGENT, "term": "db", "equivalents": ["database", "store"], "stored": True}
    assert [(fact.text, fact.kind) for fact in desk.facts()] == [("alias: db = database, store", 1)]


@pytest.mark.parametrize("words", [None, [], [" "], "database", [7]])
def test_an_alias_without_words_is_refused(desk: Desk, words: object) -> None:
    assert desk.error("memory_alias", agent_id=AGENT, term="db", equivalents=words).startswith(
        "equivalents is required"
    )


@pytest.mark.parametrize("option", ["min_confidence", "confidence_weight"])
@pytest.mark.parametrize(
    "tool", ["memory_add", "memory_alias", "checkpoint_save", "checkpoint_resume", "memory_reflect"]
)
def test_search_options_are_refused_elsewhere(desk: Desk, tool: str, option: str) -> None:
    assert desk.error(tool, agent_id=AGENT, **{option: 0.1}) == f"{option} is not supported by {tool}"


@pytest.mark.parametrize("tool", ["memory_search", "memory_search_batch", "memory_alias", "checkpoint_save"])
def test_a_label_is_refused_where_no_fact_is_written(desk: Desk, tool: str) -> None:
    assert desk.error(tool, agent_id=AGENT, confidence="verified") == f"confidence is not supported by {tool}"


def test_a_busy_store_costs_no_save(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_module, "PATIENCE_S", 0.05)
    lock = os.open(desk.data, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)

    added = desk.ok("memory_add", text="written while busy", confidence="inferred")
    refused = desk.error("memory_reflect", action="forget", agent_id=AGENT, target="written while busy")

    assert [(item.text, item.source) for item in pending(str(desk.data))] == [("written while busy", 2)]
    assert added["stored"] is True
    assert "another process is writing" in refused
    assert desk.ok("memory_search", query="busy")["facts"] == ["written while busy"]
    os.close(lock)
    desk.ok("memory_add", text="next")
    assert desk.live() == ["written while busy", "next"]


def test_a_search_is_not_held_up_by_a_write_that_waits(desk: Desk) -> None:
    desk.ok("memory_add", text="a fact")
    lock = os.open(desk.data, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    writer = threading.Thread(target=desk.ok, args=("memory_add",), kwargs={"text": "waits"})
    writer.start()

    assert desk.ok("memory_search", query="fact")["count"] == 1
    assert writer.is_alive()

    os.close(lock)
    writer.join(30)
    assert desk.live() == ["a fact", "waits"]


def test_a_store_that_is_not_trusted_is_neither_read_nor_written(desk: Desk) -> None:
    desk.ok("memory_add", text="a fact")
    withdraw(desk.user_dir, str(desk.data))
    before = desk.bytes()

    for tool, more in (
        ("memory_search", {"query": "fact"}),
        ("memory_add", {"text": "more"}),
        ("checkpoint_resume", {}),
        ("memory_reflect", {"action": "forget", "target": "a fact"}),
    ):
        assert "graymatter trust" in desk.error(tool, agent_id=AGENT, **more)
    assert desk.bytes() == before
    assert pending(str(desk.data)) == []


def test_the_first_write_prepares_a_project_and_searching_one_does_not(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    desk = Desk(tmp_path)
    desk.place = Place({**desk.environ, b"CLAUDE_PROJECT_DIR": os.fsencode(root)}, desk.user_dir)

    assert desk.ok("memory_search", query="a")["count"] == 0
    assert "no checkpoint" in desk.error("checkpoint_resume", agent_id=AGENT)
    assert list(root.iterdir()) == []
    desk.ok("memory_add", text="first")
    assert desk.ok("memory_search", query="first")["facts"] == ["first"]


def test_a_place_that_may_not_create_refuses_to(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    desk = Desk(tmp_path)
    desk.place = Place({b"CLAUDE_PROJECT_DIR": os.fsencode(root)}, desk.user_dir, create=False)

    assert "graymatter init" in desk.error("memory_add", agent_id=AGENT, text="first")
    assert list(root.iterdir()) == []


def test_a_project_variable_that_names_nothing_is_an_error_of_each_call(desk: Desk) -> None:
    desk.place = Place({b"CLAUDE_PROJECT_DIR": b"/nowhere"}, desk.user_dir)
    assert "CLAUDE_PROJECT_DIR" in desk.error("memory_add", agent_id=AGENT, text="a")
