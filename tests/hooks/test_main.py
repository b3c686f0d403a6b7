"""One hook run as a process: which payloads are served, which are ignored, and what is left in hooks.log."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from gmhooks.hooks import wire
from gmhooks.store.spool import pending
from tests.hooks.project import NOW, SHIM, Project, patient
from tests.shared_material import SHARED, needs_shared

FACT = "Integration tests need the staging VPN"
QUESTION = "how do I run the integration tests?"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add(FACT, pinned=True)
    return made


def run(
    project: Project, raw: bytes | dict[str, object], *words: str, cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [*patient(), f"--user-dir={project.user_dir}", *words],
        input=raw if isinstance(raw, bytes) else json.dumps(raw).encode(),
        cwd=cwd or project.root,
        env={"PATH": "/usr/bin", "GRAYMATTER_CLOCK": f"@{NOW}", **env},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done


def prompt(project: Project, text: str, **fields: object) -> dict[str, object]:
    common = {"session_id": "s", "cwd": str(project.root), "hook_event_name": "UserPromptSubmit"}
    return {**common, "prompt": text, **fields}


@pytest.mark.parametrize("words", [(), ("user-prompt",), ("UserPromptSubmit",), ("--client=claude", "user-prompt")])
def test_the_event_comes_from_the_argument_or_the_payload(project: Project, words: tuple[str, ...]) -> None:
    assert FACT.encode() in run(project, prompt(project, QUESTION), *words).stdout


@pytest.mark.parametrize(
    ("word", "name", "code"),
    [
        ("session-start", "UserPromptSubmit", "event_mismatch"),
        ("user-prompt", "FutureEvent2031", "unknown_event"),
        ("no-such-event", "UserPromptSubmit", "unknown_event"),
        ("", "", "unknown_event"),
        ("", "Stop", "unknown_event"),
    ],
)
def test_an_event_in_doubt_is_not_served(project: Project, word: str, name: str, code: str) -> None:
    payload = prompt(project, "remember: must not be saved here", hook_event_name=name)
    assert run(project, payload, *([word] if word else [])).stdout == b""
    assert (project.facts(), project.receipts) == ([FACT], [code])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "<task-notification>\nremember: x\n</task-notification>",
        " <teammate-message from='a'>remember: x",
        "<bash-input>remember: x</bash-input>",
    ],
)
def test_empty_and_machine_prompts_leave_no_trace(project: Project, text: str) -> None:
    assert run(project, prompt(project, text), "user-prompt").stdout == b""
    assert (project.facts(), project.receipts) == ([FACT], [])


@pytest.mark.parametrize(
    ("raw", "code"), [(b"", "bad_input"), (b"null", "bad_input"), (b"{", "bad_input"), (b"\0\0", "bad_input")]
)
def test_bad_input_leaves_a_receipt_in_the_project_of_the_surroundings(
    project: Project, tmp_path: Path, raw: bytes, code: str
) -> None:
    assert run(project, raw, "user-prompt").stdout == b""
    assert run(project, raw, "user-prompt", cwd=tmp_path, CLAUDE_PROJECT_DIR=str(project.root)).stdout == b""
    assert project.receipts == [code, code]


def test_a_payload_without_a_prompt_or_cwd_is_served_as_far_as_it_goes(project: Project) -> None:
    assert run(project, {"hook_event_name": "UserPromptSubmit"}, "user-prompt").stdout == b""
    bare = {"hook_event_name": "UserPromptSubmit", "prompt": "remember: no cwd"}
    assert b"no cwd" in run(project, bare, "user-prompt").stdout
    assert project.facts() == [FACT, "no cwd"]


@pytest.mark.parametrize("cwd", ["{tmp}/does/not/exist", "../..", "/d" * 3000, "{tmp}/loop/x", "{tmp}", "/"])
def test_a_directory_that_is_no_project_gets_nothing_and_stays_as_it_was(
    project: Project, tmp_path: Path, cwd: str
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = sorted(tmp_path.rglob("*"))
    payload = prompt(project, "remember: x", cwd=cwd.replace("{tmp}", str(tmp_path)))
    assert run(project, payload, "user-prompt", HOME=str(tmp_path)).stdout == b""
    assert project.facts() == [FACT]
    assert sorted(tmp_path.rglob("*")) == before


def test_an_invalid_project_variable_is_silent(project: Project) -> None:
    assert run(project, prompt(project, QUESTION), CLAUDE_PROJECT_DIR="/does/not/exist").stdout == b""
    assert project.receipts == []


def test_an_unprepared_project_is_silent_but_says_that_nothing_was_saved_and_stays_unprepared(
    project: Project, tmp_path: Path
) -> None:
    bare = tmp_path / "we\nird $(x)"
    bare.mkdir()
    for asked in (QUESTION, "I do not remember: x", "memory on"):
        assert run(project, prompt(project, asked, cwd=str(bare))).stdout == b""
    told = "This project has no memory: nothing was saved or forgotten. `graymatter init` in a shell makes one."
    for asked in ("remember: x", f"forget: {FACT}"):
        assert json.loads(run(project, prompt(project, asked, cwd=str(bare))).stdout) == {"systemMessage": told}
    assert list(bare.iterdir()) == []


def test_while_memory_is_off_hooks_are_silent_but_say_that_nothing_was_saved(project: Project) -> None:
    off = project.data / "off"
    off.write_text(str(NOW + 60))
    assert run(project, prompt(project, QUESTION)).stdout == b""
    assert run(project, prompt(project, "I do not remember: x")).stdout == b""
    told = {"systemMessage": "Memory is off: nothing was saved or forgotten. Send `memory on` to turn it on."}
    for asked in ("remember: x", f"forget: {FACT}"):
        assert json.loads(run(project, prompt(project, asked)).stdout) == told
    assert project.facts() == [FACT]
    off.write_text(str(NOW - 60))
    assert FACT.encode() in run(project, prompt(project, QUESTION)).stdout


def test_memory_on_is_heard_while_memory_is_off(project: Project) -> None:
    (project.data / "off").write_text("")
    assert run(project, prompt(project, " Memory ON ")).stdout
    assert FACT.encode() in run(project, prompt(project, QUESTION)).stdout


@pytest.mark.parametrize("word", ["user-prompt", "session-end"])
def test_a_client_that_sends_byte_by_byte_is_not_waited_for_longer_than_the_limit(project: Project, word: str) -> None:
    command = [*patient((0.33, 25)), f"--user-dir={project.user_dir}", word]
    with subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0, cwd=project.root) as process:
        assert process.stdin
        while process.poll() is None:
            with suppress(BrokenPipeError, subprocess.TimeoutExpired):
                process.stdin.write(b"{")
                process.wait(0.05)
    assert process.returncode == 0
    assert project.receipts == ["deadline"]


def test_a_failing_runner_leaves_one_receipt_without_any_text(project: Project, tmp_path: Path) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(SHIM.parents[2])!r})
import gmhooks.hooks.prompt as prompt
from gmhooks.hooks.main import main
def run(ctx):
    ctx.note("half_done", "3")
    raise ValueError("the secret text")
prompt.run = run
main(["user-prompt"], "")
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=json.dumps(prompt(project, QUESTION)).encode(),
        cwd=project.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert project.receipts == ["half_done", "unexpected"]
    log = (project.data / "hooks.log").read_text()
    assert "ValueError <string>:7" in log
    assert "secret" not in log


def test_an_unexpected_error_at_a_save_tells_that_it_is_kept(project: Project) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(SHIM.parents[2])!r})
import gmhooks.hooks.saves as saves
from gmhooks.hooks.main import main
def save(*args, **more):
    raise ValueError("the secret text")
saves.save = save
main(["user-prompt"], {str(project.user_dir)!r})
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=json.dumps(prompt(project, "remember: the gate is green")).encode(),
        cwd=project.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    told = {"systemMessage": "Saved to memory: 1 fact; kept safely and filed at the next write."}
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, told, b"")
    assert [spooled.text for spooled in pending(str(project.data))] == ["the gate is green"]
    assert project.receipts == ["unexpected"]


def test_an_answer_over_the_limit_is_not_printed(project: Project) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(SHIM.parents[2])!r})
import gmhooks.hooks.prompt as prompt
from gmhooks.hooks.main import main
from gmhooks.hooks.wire import LONGEST_ANSWER
prompt.run = lambda ctx: b"x" * (LONGEST_ANSWER + 1)
main(["user-prompt"], "")
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=json.dumps(prompt(project, QUESTION)).encode(),
        cwd=project.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert project.receipts == ["answer_too_long"]
    assert wire.LONGEST_ANSWER == 9_500


@needs_shared
def test_every_recorded_payload_ends_in_silence_or_one_valid_answer(project: Project) -> None:
    assert SHARED is not None
    for file in sorted((SHARED / "claude-code" / "payloads").glob("*.json")):
        payload = json.loads(file.read_bytes()) | {"cwd": str(project.root)}
        said = run(project, payload).stdout
        if said and payload["hook_event_name"] != "PreCompact":
            assert json.loads(said)["hookSpecificOutput"]["hookEventName"] == payload["hook_event_name"], file.name
        if payload["hook_event_name"] not in ("SessionStart", "UserPromptSubmit", "PreCompact"):
            assert said == b"", file.name
    assert "unexpected" not in project.receipts
