"""What a session knows from its first moment, and what survives compaction, resume, fork, /clear and its end."""

from __future__ import annotations

import time

import pytest

from tests.journeys.desk import Desk, context_of, raw
from tests.journeys.terminal import Terminal

VPN = "Integration tests need the staging VPN"
PINNED = "Never force-push to the release branch"
SHARED = "All timestamps are UTC ISO-8601"


def start_context(desk: Desk, *flags: str) -> str:
    (request,) = desk.prompt("hello there", *flags)
    return "\n".join(context_of(request, "SessionStart"))


def test_a_session_starts_with_pinned_then_fresh_facts_and_shared_conventions(desk: Desk) -> None:
    desk.graymatter("remember", PINNED)
    desk.graymatter("pin", PINNED)
    desk.graymatter("remember", VPN)
    desk.graymatter("remember", "--shared", SHARED)

    context = start_context(desk)

    assert f"## Memory\n- {PINNED}\n- {VPN}\n\n## Shared memory (project-wide)\n- {SHARED}\n" in context


def test_compaction_is_told_what_comes_back_and_the_facts_come_back_once(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.prompt("how do I run the integration tests?")
    before = len(desk.api.records)

    desk.prompt("/compact keep the plan", "--continue")

    (compaction,) = [record for record in desk.api.records[before:] if record["kind"] == "compact"]
    sent = raw(compaction)
    assert "Project memory (GrayMatter) lives outside this conversation" in sent
    instructions = sent[sent.index("Project memory (GrayMatter) lives outside") :]
    assert VPN not in instructions, "compaction instructions never hold the text of a fact"
    (request,) = desk.prompt("let us go on", "--continue")
    assert raw(request).count(VPN) == 1, desk.receipts()
    assert "FAKE-COMPACT-SUMMARY" in raw(request)


def test_resume_does_not_repeat_what_the_conversation_already_holds(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.prompt("how do I run the integration tests?")

    (request,) = desk.prompt("and how do I run only one of the integration tests?", "--continue")

    assert raw(request).count(VPN) == 1, desk.receipts()


def test_resume_brings_what_was_saved_since(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.prompt("hello there")
    desk.graymatter("remember", SHARED)

    (request,) = desk.prompt("let us go on", "--continue")

    assert raw(request).count(VPN) == 1, desk.receipts()
    assert raw(request).count(SHARED) == 1, desk.receipts()


def test_a_fork_does_not_repeat_what_it_inherits(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.prompt("how do I run the integration tests?")

    (request,) = desk.prompt("which tests need the staging VPN?", "--continue", "--fork-session")

    assert raw(request).count(VPN) == 1, desk.receipts()


def test_clear_starts_fresh(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    with Terminal(desk) as terminal:
        first = terminal.ask("how do I run the integration tests?")
        assert raw(first).count(VPN) == 1, desk.receipts()
        terminal.command("/clear", "session-end")

        second = terminal.ask("hello again")

    assert "how do I run the integration tests?" not in raw(second)
    assert raw(second).count(VPN) == 1, desk.receipts()


@pytest.mark.parametrize("task", ["edited file", "open todo"])
def test_the_end_of_a_session_saves_a_checkpoint_that_the_next_start_names_when_unfinished(
    desk: Desk, task: str
) -> None:
    note = desk.project / "migration.txt"
    directives = {
        "edited file": f'[[tool Write {{"file_path": "{note}", "content": "step one"}}]]',
        "open todo": '[[tool TodoWrite {"todos": [{"content": "finish the migration.txt plan", '
        '"status": "in_progress", "activeForm": "finishing"}]}]]',
    }
    desk.prompt(f"start the migration {directives[task]}", "--permission-mode", "acceptEdits")
    assert "checkpointed" in desk.receipts()

    named = start_context(desk)
    again = start_context(desk)

    assert "## Unfinished work\n- Checkpoint " in named, desk.receipts()
    assert "migration.txt" in named
    assert "Unfinished" not in again, "a checkpoint is named once"


def test_a_finished_session_is_not_named(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.prompt("hello there")
    assert "checkpointed" in desk.receipts()

    assert "Unfinished" not in start_context(desk)


def test_facts_older_than_the_budget_of_a_start_stay_out_of_it(desk: Desk) -> None:
    desk.graymatter("remember", VPN)
    desk.fill(250, time.time_ns() // 1000 + 1_000_000)

    context = start_context(desk)

    assert "Shelf 249" in context
    assert VPN not in context
