"""A run that is started twice is answered once; what is entered at its begin is taken back at its end."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gmhooks.hooks.session import SLOT, SLOTS_AT, USE_AT
from tests.hooks.project import LONGEST_S, NOW, Project, patient


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add("the deploy key of the billing service lives in the vault")
    return made


def marks(project: Project) -> set[bytes]:
    """What the slots say about LMDB being in use."""
    data = (project.data / "state").read_bytes()
    return {data[at : at + 8] for at in range(SLOTS_AT + USE_AT, SLOTS_AT + 64 * SLOT, SLOT)} - {b"", bytes(8)}


def at_once(project: Project, payload: dict[str, object], copies: int = 2) -> list[bytes]:
    """Answers of several processes that get the same payload at the same time."""
    command = [*patient(), f"--user-dir={project.user_dir}"]
    env = {"PATH": os.defpath, "GRAYMATTER_CLOCK": f"@{NOW}"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = [subprocess.Popen(command, env=env, cwd=project.root, **pipes) for _ in range(copies)]
    for process in running:
        assert process.stdin
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
    answers = [process.communicate(timeout=LONGEST_S)[0] for process in running]
    assert [process.returncode for process in running] == [0] * copies
    return answers


def test_of_two_copies_of_a_prompt_one_answers_and_one_saves(project: Project) -> None:
    """F104."""
    for number in range(4):
        payload = {
            "hook_event_name": "UserPromptSubmit", "session_id": f"s{number}", "cwd": str(project.root),
            "prompt": f"remember: fact number {number}\n\nwhere does the deploy key live?",
        }  # fmt: skip
        answers = at_once(project, payload)
        assert sorted(bool(answer) for answer in answers) == [False, True]
        assert b"Saved to memory" in max(answers)
    assert project.facts()[1:] == [f"fact number {number}" for number in range(4)]
    assert project.receipts.count("duplicate_run") == 4


def test_two_prompts_with_one_prompt_id_are_two_runs(project: Project) -> None:
    first = project.prompt("remember: one", prompt_id="p")
    second = project.prompt("remember: two", prompt_id="p")
    assert "Saved" in first.message
    assert "Saved" in second.message


def test_the_same_prompt_after_two_seconds_is_a_new_run(project: Project) -> None:
    assert "Saved" in project.prompt("remember: one").message
    assert project.prompt("remember: one", clock=NOW + 1).message == ""
    assert "Already" in project.prompt("remember: one", clock=NOW + 2).message


def test_copies_of_a_start_show_the_facts_once_and_another_session_gets_its_own(project: Project) -> None:
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(project.root), "source": "startup"}
    assert sorted(bool(answer) for answer in at_once(project, payload, 3)) == [False, False, True]
    assert project.start(session="t").lines


def test_no_hook_leaves_its_mark_when_it_ends(project: Project) -> None:
    project.start()
    project.prompt("where does the deploy key of the billing service live?")
    project.prompt("remember: something new")
    project.prompt("remember: thanks?")
    project.compact()
    project.end()
    assert marks(project) == set()
