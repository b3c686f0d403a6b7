"""Field cases, section I: compaction, resume, headless runs, exits."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gmhooks.init.settings import EVENTS
from gmhooks.memory.api import Memory
from gmhooks.memory.injections import injections
from tests.hooks.project import NOW, Project

FACT = "Zeppelin hangars open at nine"
QUESTION = "when do zeppelin hangars open?"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add(FACT)
    return made


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_f142_a_compaction_is_never_blocked(project: Project, trigger: str) -> None:
    for _ in range(3):
        answer = project.compact(trigger=trigger)
        assert b"decision" not in answer.stdout
        assert not answer.stdout.lstrip().startswith(b"{")


def test_f143_after_a_compaction_facts_and_the_open_work_come_back(project: Project, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    todos = [{"content": "paint the hangar", "status": "pending", "activeForm": "painting"}]
    use = {"type": "tool_use", "name": "TodoWrite", "input": {"todos": todos}}
    lines = [
        {"type": "user", "message": {"role": "user", "content": "paint the hangar"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    project.start(session="s1")
    project.compact(session="s1", transcript_path=str(transcript))
    again = project.start(source="compact", session="s1")
    assert FACT in again.lines
    assert "paint the hangar" in again.context


def test_f145_resuming_repeats_nothing(project: Project) -> None:
    assert project.start(session="s1").lines == [FACT]
    assert project.start(source="resume", session="s1", clock=NOW + 60).stdout == b""
    assert project.start(session="s1", clock=NOW + 61).stdout == b""


def test_f146_an_unknown_resumed_session_gets_what_is_newer_than_its_pause(project: Project) -> None:
    project.add("Written while away", age_s=60)
    answer = project.start(source="resume", session="unknown", seconds_since_last_response=600)
    assert answer.lines == ["Written while away"]


def test_f148_a_session_end_starts_no_agent(project: Project) -> None:
    from gmhooks.hooks import finish, spawn

    for module in (finish, spawn):
        assert "claude" not in Path(str(module.__file__)).read_text()
    assert project.end(session="s1").stdout == b""


def test_f149_headless_runs_are_counted(project: Project) -> None:
    printed = [project.prompt(QUESTION, session=f"run {n}") for n in range(5)]
    assert sum(each.size for each in injections(str(project.data))) == sum(len(each.context) for each in printed)


def test_f151_only_the_four_documented_events_are_hooked() -> None:
    assert {*EVENTS} == {"SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"}


def test_f152_parallel_subagents_all_get_their_answer(project: Project) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: project.prompt(QUESTION, session=f"agent {n}"), range(16)))
    assert all(answer.lines == [FACT] for answer in answers)


def test_f154_many_ends_do_the_slow_work_once(project: Project, tmp_path: Path) -> None:
    from gmhooks.hooks.fields import FINISH_AT

    def stamp() -> bytes:
        return (project.data / "state").read_bytes()[FINISH_AT : FINISH_AT + 8]

    project.end(session="s0", reason="clear")
    first = stamp()
    for number in range(1, 6):
        project.end(session=f"s{number}", reason="clear", clock=NOW + number)
    assert stamp() == first != bytes(8)


def test_f155_nothing_is_lost_when_the_end_never_comes(project: Project) -> None:
    project.prompt("remember: the lamp is green", session="s1")
    assert "the lamp is green" in project.start(session="s2", clock=NOW + 60).lines


def test_f157_hooks_need_no_server(project: Project) -> None:
    assert project.prompt(QUESTION).lines == [FACT]


def test_f158_a_resume_is_told_apart_without_a_matcher(project: Project) -> None:
    assert project.start(source="resume", session="new").stdout == b""
    assert project.start(source="startup", session="new").lines == [FACT]
    memory = Memory(project.data, project.user_dir)
    assert len(memory.list("project")) == 1
