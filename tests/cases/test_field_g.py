"""Field cases, section G: install, upgrade, duplicates, and what is left behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.init import launcher
from gmhooks.init.install import install, uninstall
from gmhooks.init.settings import EVENTS
from gmhooks.store.env import Store
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import META, seal
from gmhooks.store.records import pack_identity
from gmhooks.store.writer import run
from tests.hooks.project import NOW, Project
from tests.installed import CHECKOUT, hook_commands


@pytest.fixture(autouse=True)
def _no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gmhooks.init.install._build_pack", lambda: True)


def wired(root: Path, user_dir: Path | str) -> list[str]:
    """The recorded prompt command of a fresh installation."""
    report = install("local", root, user_dir)
    assert not report.refused, report.message
    return hook_commands(root / ".claude" / "settings.local.json")["UserPromptSubmit"]


def asking(project: Project) -> dict[str, object]:
    """The payload of a prompt that the stored fact answers."""
    body = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(project.root)}
    return {**body, "prompt": "zeppelin hangars?"}


@pytest.mark.parametrize("name", ["My Tools (x86)/v env", "übung/日本", "it's $HOME"])
def test_f101_the_stored_command_runs_from_any_directory(project: Project, name: str) -> None:
    project.add("Zeppelin hangars open at nine")
    user_dir = project.home / name / "own"
    user_dir.parent.mkdir(parents=True)
    shutil.copytree(project.user_dir, user_dir)
    command = wired(project.root, user_dir)
    payload = json.dumps(asking(project)).encode()
    ran = subprocess.run(command, input=payload, capture_output=True, cwd=project.root, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Zeppelin hangars open at nine" in ran.stdout


def test_f103_a_command_whose_environment_is_gone_is_silent(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = project.home / "venv" / "bin" / "python"
    gone.parent.mkdir(parents=True)
    gone.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(launcher, "interpreter", lambda: str(gone))
    command = wired(project.root, project.user_dir)
    shutil.rmtree(project.home / "venv")

    for line in (command, ["sh", "-c", '"$0" "$@"', *command]):
        ran = subprocess.run(line, input=b"{}", capture_output=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_f106_a_second_install_adds_nothing(project: Project) -> None:
    wired(project.root, project.user_dir)
    path = project.root / ".claude" / "settings.local.json"
    before = path.read_bytes(), path.stat().st_mtime_ns
    wired(project.root, project.user_dir)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_f107_a_hook_of_a_similar_name_survives(project: Project) -> None:
    entry = {"type": "command", "command": "/opt/other/graymatter-hook-prompt"}
    theirs = {"hooks": {"UserPromptSubmit": [{"hooks": [entry]}]}}
    path = project.root / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text(json.dumps(theirs))
    wired(project.root, project.user_dir)
    assert len(json.loads(path.read_text())["hooks"]) == len(EVENTS)
    uninstall("local", project.root, project.user_dir)
    assert json.loads(path.read_text()) == theirs


def test_f110_a_deleted_memory_is_not_made_again(project: Project) -> None:
    shutil.rmtree(project.data)
    project.start()
    project.prompt("remember: x")
    project.compact()
    project.end()
    assert not project.data.exists()


def test_f115_nothing_is_a_shell_script() -> None:
    assert [path for path in (CHECKOUT / "gmhooks").rglob("*") if path.suffix in (".sh", ".bash")] == []


def test_f116_modules_of_the_project_are_not_taken_for_ours(project: Project) -> None:
    project.add("Zeppelin hangars open at nine")
    for name in ("json", "lmdb", "orjson", "sitecustomize"):
        (project.root / f"{name}.py").write_text("raise SystemExit(9)\n")
    assert project.hook(asking(project), PYTHONPATH=str(project.root)).lines == ["Zeppelin hangars open at nine"]


def test_f118_showing_is_switched_off_and_saving_goes_on(project: Project) -> None:
    project.add("Zeppelin hangars open at nine")
    (project.data / "hooks.conf").write_text("inject=off\n")
    assert project.prompt("zeppelin hangars?").stdout == b""
    assert "Saved" in project.prompt("remember: The gate code changes on Mondays").message
    assert "The gate code changes on Mondays" in project.facts()


def test_f112_a_store_of_a_newer_format_is_left_alone_and_told_of_once_a_day(project: Project) -> None:
    project.add("Zeppelin hangars open at nine")

    def age(store: Store) -> None:
        identity = store.identity
        identity.schema = identity.min_reader = identity.min_writer = 99
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(identity)))

    run(str(project.data), age)
    before = (project.data / "gray.mdb").read_bytes()
    assert project.prompt("zeppelin hangars?").stdout == b""
    said = [project.start(session=f"s{hour}", clock=NOW + hour * 3600) for hour in (0, 1, 25)]
    assert ["newer version" in answer.message for answer in said] == [True, False, True]
    assert said[1].stdout == b""
    assert (project.data / "gray.mdb").read_bytes() == before
