"""What a session is told when it begins, goes on, or has been compacted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gmhooks.store.trust import withdraw
from tests.hooks.project import NOW, Project

DAY = 86_400


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def transcript(project: Project, todos: list[str], session: str = "s1") -> str:
    path = project.home / f"{session}.jsonl"
    given = [{"content": text, "status": "pending"} for text in todos]
    call = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": given}}
    records = [
        {"type": "user", "message": {"role": "user", "content": "please fix the build"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


@pytest.mark.parametrize("source", ["startup", "clear", "compact", "resume", "fork", "teleport"])
def test_an_empty_store_prints_nothing(project: Project, source: str) -> None:
    assert project.start(source).stdout == b""


def test_pinned_then_verified_then_fresh(project: Project) -> None:
    project.add("old and pinned", pinned=True, age_s=90 * DAY)
    project.add("old and verified", confidence=3, age_s=80 * DAY)
    project.add("first", "second")
    project.add("for all", shared=True)
    answer = project.start()
    assert answer.lines == ["old and pinned", "old and verified", "second", "first", "for all"]
    assert project.receipts == ["injected"]


def test_the_start_block_keeps_its_budget_and_the_shared_section(project: Project) -> None:
    project.add(*[f"fact {n} " + "w" * 200 for n in range(60)])
    project.add("for all", shared=True)
    answer = project.start()
    assert len(answer.context.encode()) <= 4096
    assert answer.lines[0].startswith("fact 59")
    assert answer.lines[-1] == "for all"


def test_the_largest_budget_still_makes_a_valid_answer(project: Project) -> None:
    (project.data / "hooks.conf").write_text("start_budget=9500\n")
    project.add(*[f'fact {n} "' + '"\\"' * 60 for n in range(60)])
    answer = project.start()
    assert len(answer.lines) > 10
    assert len(answer.stdout) <= 9500


def test_facts_shown_at_start_are_not_shown_again_by_a_prompt(project: Project) -> None:
    project.add("Zeppelins need helium")
    assert project.start().lines == ["Zeppelins need helium"]
    assert project.prompt("what do zeppelins need, helium?").lines == []
    assert project.start().stdout == b""


def test_what_a_start_shows_counts_as_recalled(project: Project) -> None:
    project.add("Zeppelins need helium")
    project.start()
    assert (project.data / "access.log").read_text().split()[1:] == ["1:0"]


def test_compaction_brings_the_facts_back(project: Project) -> None:
    project.add("Zeppelins need helium")
    project.start()
    assert project.start("compact").lines == ["Zeppelins need helium"]
    assert project.prompt("what do zeppelins need, helium?").lines == []


def test_compaction_brings_them_back_at_prompts_when_starts_print_nothing(project: Project) -> None:
    project.add("the deploy key of the billing service lives in the vault")
    (project.data / "hooks.conf").write_text("start_budget=0\n")
    question = "where does the deploy key of the billing service live?"
    assert project.prompt(question).lines
    assert project.prompt("which vault holds the deploy key for billing now?", clock=NOW + 9).lines == []
    assert project.start("compact", clock=NOW + 20).stdout == b""
    assert project.prompt("billing service deploy key, in which vault?", clock=NOW + 30).lines


def test_the_same_store_gives_the_same_bytes(project: Project) -> None:
    project.add("Zeppelins need helium", "Airships need ballast")
    assert project.start(session="a").stdout == project.start(session="b", clock=NOW + 90).stdout


def test_resume_brings_only_what_is_newer_than_the_last_answer(project: Project) -> None:
    project.add("before", age_s=3600)
    project.add("after", age_s=10)
    assert project.start("resume").stdout == b""
    assert project.start("resume", clock=NOW + 5, seconds_since_last_response=60).lines == ["after"]
    assert project.start("resume", seconds_since_last_response=60).stdout == b""


def test_an_unknown_source_is_silent_with_a_receipt(project: Project) -> None:
    project.add("a fact")
    assert project.start("teleport").stdout == b""
    assert project.receipts == ["unknown_source"]


def test_a_fork_knows_what_its_origin_was_shown(project: Project) -> None:
    project.add("Zeppelins need helium")
    project.start(session="origin", clock=NOW - 100)
    project.end(session="origin", reason="resume", prompt_id="p9", clock=NOW - 5)
    assert project.start("fork", session="new", prompt_id="p9", seconds_since_last_response=4).stdout == b""
    assert project.prompt("what do zeppelins need, helium?", session="new").lines == []


def test_a_fork_from_the_command_line_knows_it_by_time(project: Project) -> None:
    project.add("Zeppelins need helium")
    project.start(session="origin", clock=NOW - 100)
    project.end(session="origin", clock=NOW - 50)
    assert project.start("fork", session="new", seconds_since_last_response=52).stdout == b""
    assert project.prompt("what do zeppelins need, helium?", session="new").lines == []


def test_unfinished_work_is_named_once_to_a_later_session(project: Project) -> None:
    path = transcript(project, ["fix the <b>build</b>", "release"])
    project.end(transcript_path=path, prompt_id="p", clock=NOW - DAY)
    answer = project.start(session="s2")
    assert "\n## Unfinished work\n- Checkpoint " in answer.context
    (line,) = answer.lines
    assert line[17:] == " of 2026-05-27: an earlier session left open: fix the ‹b>build‹/b>; release"
    assert project.start(session="s3").stdout == b""


def test_old_work_and_a_cleared_session_are_not_named(project: Project) -> None:
    project.end(transcript_path=transcript(project, ["fix"]), prompt_id="p", clock=NOW - DAY)
    assert project.start("clear", session="s2").stdout == b""
    assert project.start(session="s3", clock=NOW + 8 * DAY).stdout == b""
    assert len(project.start(session="s4").lines) == 1


def test_a_compacted_session_is_told_its_own_open_work(project: Project) -> None:
    path = transcript(project, ["fix the build"])
    project.compact(transcript_path=path)
    (line,) = project.start("compact").lines
    assert line.endswith(": this session left open: fix the build")
    project.end(transcript_path=path, prompt_id="p")
    assert len(project.start(session="s2").lines) == 1


def test_the_user_hears_once_a_day_that_memory_is_off(project: Project) -> None:
    project.add("a fact")
    withdraw(project.user_dir, str(project.data))
    answer = project.start()
    assert set(answer.object) == {"systemMessage"}
    assert answer.message.startswith("GrayMatter memory is off in this project: it came with a store")
    assert project.start(session="s2").stdout == b""
    assert project.start(session="s3", clock=NOW + DAY).message == answer.message
    assert project.receipts == ["untrusted"] * 3


def test_a_damaged_store_is_told_too(project: Project) -> None:
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    assert "damaged" in project.start().message


def test_spooled_facts_are_fresh_facts(project: Project) -> None:
    project.add("in the store")
    good = (project.data / "gray.mdb").read_bytes()
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    project.prompt("remember: on its way")
    (project.data / "gray.mdb").write_bytes(good)
    assert project.start(session="s2").lines == ["on its way", "in the store"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("startup.print", True),
        ("startup.interactive", True),
        ("startup.named", True),
        ("startup.agent", True),
        ("startup.worktree", True),
        ("clear", True),
        ("compact.auto", True),
        ("compact.manual", True),
        ("resume.print", False),
        ("resume.interactive", False),
        ("fork.print", False),
        ("fork.interactive", False),
    ],
)
def test_recorded_starts(project: Project, name: str, shown: bool) -> None:
    project.add("Zeppelins need helium")
    assert project.recorded(f"SessionStart.{name}").lines == (["Zeppelins need helium"] if shown else [])
