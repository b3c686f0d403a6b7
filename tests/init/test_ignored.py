"""What git would take into the repository is told apart from what it ignores or has already."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gmhooks.init.ignored import COMMITTABLE, TRACKED, standing


def _git(root: Path, *words: str) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env=environ)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "a[1]*.json").write_text("{}")
    return tmp_path


def test_each_state_is_told(root: Path) -> None:
    name = "dir/a[1]*.json"
    assert standing(str(root), name) is None
    _git(root, "init", "-q")
    assert standing(str(root), name) == COMMITTABLE
    assert standing(str(root / "dir"), "a[1]*.json") == COMMITTABLE
    assert standing(str(root), "dir/not-there.json") is None
    (root / ".git" / "info" / "exclude").write_text("dir/\n")
    assert standing(str(root), name) is None
    _git(root, "add", "-f", name)
    assert standing(str(root), name) == TRACKED


def test_nothing_is_written_and_no_program_of_the_repository_runs(root: Path) -> None:
    _git(root, "init", "-q")
    spy = root / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {root}/ran\n")
    spy.chmod(0o700)
    _git(root, "config", "core.fsmonitor", str(spy))
    before = {path: path.stat().st_mtime_ns for path in (root / ".git").rglob("*")}
    assert standing(str(root), "dir/a[1]*.json") == COMMITTABLE
    assert {path: path.stat().st_mtime_ns for path in (root / ".git").rglob("*")} == before
    assert not (root / "ran").exists()


def test_without_git_nothing_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _git(root, "init", "-q")
    monkeypatch.setenv("PATH", str(root / "dir"))
    assert standing(str(root), "dir/a[1]*.json") is None
