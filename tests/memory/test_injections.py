"""What was printed can be told afterwards, to the byte for the last block and by fact for each prompt of a session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gmhooks.memory.errors import Ambiguous
from gmhooks.memory.injections import Injection, facts_of, injections, last_block, last_fired, receipts, session_of
from gmhooks.store.env import open_read
from tests.hooks.project import NOW, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add("Zeppelin hangars open at nine", "Kafka brokers live in rack four")
    made.add("Zeppelin pilots sleep at noon", shared=True)
    return made


def test_the_last_block_is_kept_to_the_byte_also_when_a_silent_session_came_later(project: Project) -> None:
    first = project.prompt("where do kafka brokers live?", session="a", clock=NOW)
    last = project.prompt("when do zeppelin hangars open?", session="b", clock=NOW + 1)
    assert project.prompt("haiku about rain", session="a", clock=NOW + 2).stdout == b""
    data = str(project.data)
    assert last_block(data) == last.context.encode()
    assert last_block(data, "a") == first.context.encode()
    assert (last_block(data, "nobody"), last_block(data + "/nowhere")) == (None, None)


def test_each_prompt_of_a_session_is_told_with_its_facts(project: Project) -> None:
    project.start(session="a")
    project.prompt("when do zeppelin hangars open? and zeppelin pilots?", session="b")
    found = injections(str(project.data), "b")
    assert [(each.event, each.at) for each in found] == [("user-prompt", "2026-05-28T20:26:40Z")]
    assert [each.event for each in injections(str(project.data))] == ["session-start", "user-prompt"]
    store = open_read(str(project.data))
    try:
        texts = [text for _, text in facts_of(store, "project", found[0])]
        assert (
            facts_of(store, "nobody", injections(str(project.data), "a")[0])[-1][1] == "Zeppelin pilots sleep at noon"
        )
    finally:
        store.close()
    assert "Zeppelin hangars open at nine" in texts
    assert found[0].size == len(
        project.prompt("when do zeppelin hangars open? and zeppelin pilots?", session="c").context
    )


def test_a_beginning_that_several_sessions_share_is_ambiguous() -> None:
    found = [Injection("", "user-prompt", 1, session, ()) for session in ("abcdef0000000000", "abcdef1111111111")]
    assert session_of(found, "abcdef1") == "abcdef1111111111"
    with pytest.raises(Ambiguous, match="abcdef0000000000"):
        session_of(found, "abcdef")


def test_receipts_hold_no_text_of_prompt_or_fact(project: Project) -> None:
    project.prompt("when do zeppelin hangars open?", session="my-session-id")
    log = (project.data / "hooks.log").read_text().lower()
    assert "zeppelin" not in log
    assert "my-session-id" not in log


def test_a_start_with_many_facts_fits_its_receipt(project: Project) -> None:
    project.add(*(f"Short fact {n}" for n in range(90)))
    answer = project.start(session="many")
    (found,) = injections(str(project.data), "many")
    assert len(found.keys) == len(answer.lines) == 65


def test_every_event_is_told_by_its_last_receipt(project: Project) -> None:
    assert last_fired(str(project.data)) == dict.fromkeys(
        ("session-start", "user-prompt", "pre-compact", "session-end")
    )
    project.start(session="a", clock=NOW)
    project.start(session="b", clock=NOW + 60)
    fired = last_fired(str(project.data))
    assert (fired["session-start"], fired["user-prompt"]) == ("2026-05-28T20:27:40Z", None)


def test_lines_that_are_no_receipts_are_passed_over(project: Project) -> None:
    log = project.data / "hooks.log"
    log.write_bytes(b'\xff\n[1]\n{"ts": 5}\n' + json.dumps({"code": "injected", "detail": "odd"}).encode() + b"\n{torn")
    assert [receipt.at for receipt in receipts(str(project.data))] == ["5", ""]
    assert injections(str(project.data)) == []


def test_a_log_that_is_no_file_says_nothing(project: Project) -> None:
    (project.data / "hooks.log").unlink()
    os.mkfifo(project.data / "hooks.log")
    assert list(receipts(str(project.data))) == []
