"""Branch and commit come from git's own files, in every layout git uses."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gmhooks.hooks.gitref import standing

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    who = ["-c", "user.name=t", "-c", "user.email=t@example.test"]
    done = subprocess.run(["git", *who, *words], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "topic/one")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


@needs_git
def test_a_branch_and_its_commit(repository: Path) -> None:
    assert standing(str(repository)) == ("topic/one", git(repository, "rev-parse", "HEAD"))


@needs_git
def test_packed_refs(repository: Path) -> None:
    git(repository, "pack-refs", "--all")
    assert standing(str(repository)) == ("topic/one", git(repository, "rev-parse", "HEAD"))


@needs_git
def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert standing(str(repository)) == ("", git(repository, "rev-parse", "HEAD"))


@needs_git
@pytest.mark.parametrize("packed", [False, True])
def test_a_linked_worktree(repository: Path, packed: bool) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", "../side")
    if packed:
        git(repository, "pack-refs", "--all")
    assert standing(str(repository.parent / "side")) == ("side", git(repository, "rev-parse", "side"))


@needs_git
def test_a_branch_without_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "new")
    assert standing(str(tmp_path)) == ("new", "")


@pytest.mark.parametrize(
    "head", ["", "garbage", "ref: ../../secret", "ref: refs/heads/../../x", "a" * 40 + "z", "\0" * 99]
)
def test_anything_else_is_no_checkout(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert standing(str(tmp_path)) == ("", "")
    assert standing(str(tmp_path / "gone")) == ("", "")


def test_a_fifo_in_place_of_head_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert standing(str(tmp_path)) == ("", "")
