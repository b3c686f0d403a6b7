"""The demonstration after init, with the program installed as a user has it, and with commands that fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.init.launcher import NAME
from gmhooks.init.prepare import prepare_project
from gmhooks.init.proof import ProofFailed, prove, recorded_command
from gmhooks.init.stage import PROMPT, SAMPLE
from tests.installed import Program, clean_env, shared


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    base = tmp_path_factory.getbasetemp()
    return shared(base.parent if base.name.startswith("popen-") else base)


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".mdb-lock"}


def test_init_proves_itself_on_a_copy_and_a_second_run_changes_nothing(program: Program, tmp_path: Path) -> None:
    home = tmp_path / "home"
    project = home / "Mein Projekt"
    project.mkdir(parents=True)
    told = json.loads(program.done("init", "--hooks", "--json", cwd=project, home=home))
    assert (told["status"], told["changed"], told["runtime_verified"]) == ("complete", True, True)
    assert told["proof"]["block"].splitlines()[0] == '[GrayMatter hook recall ran for agent_id="mein-projekt".]'
    assert told["proof"]["block"].count(SAMPLE) == 1
    assert told["proof"]["ratio"] > 0
    assert json.loads(program.done("list", "--all", "--json", cwd=project, home=home))["count"] == 0
    before = _snapshot(home)
    again = json.loads(program.done("init", "--hooks", "--json", cwd=project, home=home))
    assert (again["changed"], again["runtime_verified"]) == (False, True)
    assert {name for name, data in _snapshot(home).items() if before.get(name) != data} <= {
        str(project / ".graymatter" / "gray.mdb-lock")
    }
    status = json.loads(program.done("status", "--json", cwd=project, home=home))
    assert (status["memory"], status["reasons"]) == ("on", [])
    program.done("hooks", "uninstall", cwd=project, home=home)
    assert not (project / ".claude").exists()


def test_init_says_the_block_and_the_cost_to_people(program: Program, tmp_path: Path) -> None:
    project = tmp_path / "home" / "app"
    project.mkdir(parents=True)
    said = program.done("init", "--hooks", cwd=project, home=tmp_path / "home")
    assert PROMPT in said
    assert f"  - {SAMPLE}\n" in said
    assert "x an empty Python program (median of 7 runs in turn)." in said


def test_refused_settings_stop_before_the_proof(program: Program, tmp_path: Path) -> None:
    project = tmp_path / "home" / "app"
    settings = project / ".claude" / "settings.local.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"token": "hunter2",')
    ran = program.cli("init", "--hooks", "--json", cwd=project, home=tmp_path / "home")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["error"]["code"]) == (1, "failed", "invalid_json")
    assert str(settings) in ran.stderr
    assert "hunter2" not in ran.stdout + ran.stderr
    assert settings.read_text() == '{"token": "hunter2",'


def test_hooks_run_is_the_hook_itself(program: Program, tmp_path: Path) -> None:
    project = tmp_path / "home" / "app"
    project.mkdir(parents=True)
    program.done("init", cwd=project, home=tmp_path / "home")
    program.done("remember", "The demo needs port 8080", cwd=project, home=tmp_path / "home")
    payload = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(project)}
    ran = subprocess.run(
        [program.graymatter, "hooks", "run", "session-start"],
        input=json.dumps(payload), capture_output=True, text=True, cwd=project, check=False,
        env=clean_env(tmp_path / "home"),
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "- The demo needs port 8080\n" in json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.fixture
def data_dir(tmp_path: Path) -> str:
    (tmp_path / "app").mkdir()
    prepare_project(str(tmp_path / "app" / ".graymatter"), str(tmp_path / "user"))
    return str(tmp_path / "app" / ".graymatter")


def _command(tmp_path: Path, body: str) -> list[str]:
    script = tmp_path / "command"
    script.write_text(f"#!{sys.executable}\n{body}\n")
    script.chmod(0o700)
    return [str(script), "user-prompt"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("pass", "the hook answered nothing: it left no receipt"),
        ("import sys; sys.exit(2)", "ended with status 2"),
        ("print('no json')", "not the documented JSON object"),
        ('print(\'{"hookSpecificOutput": {"additionalContext": ""}}\')', "does not hold the sample fact"),
    ],
)
def test_each_failure_is_named_with_a_next_step(tmp_path: Path, data_dir: str, body: str, said: str) -> None:
    with pytest.raises(ProofFailed, match=said) as caught:
        prove(data_dir, str(tmp_path / "app"), _command(tmp_path, body))
    assert caught.value.then


def test_missing_command_is_named(tmp_path: Path, data_dir: str) -> None:
    with pytest.raises(ProofFailed, match="cannot be started: No such file"):
        prove(data_dir, str(tmp_path / "app"), [str(tmp_path / "gone"), "user-prompt"])


def test_missing_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProofFailed, match="private copy of the store could not be made"):
        prove(str(tmp_path), str(tmp_path), ["true"])


def test_command_gets_a_registry_of_its_own_before_the_event(tmp_path: Path, data_dir: str) -> None:
    log = tmp_path / "log"
    body = f"import sys, os; open({str(log)!r}, 'w').write(repr((sys.argv[1:], sorted(os.environ))))"
    with pytest.raises(ProofFailed):
        prove(data_dir, str(tmp_path / "app"), _command(tmp_path, body))
    assert "'user-prompt']" in log.read_text()
    assert "--user-dir=" in log.read_text()
    assert str(tmp_path / "user") not in log.read_text()


def test_recorded_command_comes_from_the_settings_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    entry = {"type": "command", "command": f"/opt/x/{NAME}", "args": ["user-prompt"]}
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "other"}, entry]}]}}))
    assert recorded_command(str(settings), "/u") == [f"/opt/x/{NAME}", "user-prompt"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"hooks": {"UserPromptSubmit": [null]}}', '{"hooks": null}'])
def test_unreadable_settings_fall_back_to_the_launcher(tmp_path: Path, text: str) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(text)
    assert recorded_command(str(settings), "/u") == [f"/u/{NAME}", "user-prompt"]
