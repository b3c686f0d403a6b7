"""Field cases, section E: which memory a directory has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.hooks.route import for_cli, for_hook
from gmhooks.memory.api import Memory
from tests.hooks.project import Project


def _worktree(project: Project, name: str = "app-fix") -> Path:
    """A linked git worktree beside the project, as git lays it out."""
    git = project.root / ".git" / "worktrees" / name
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n")
    (git / "HEAD").write_text("ref: refs/heads/fix\n")
    (project.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    linked = project.root.parent / name
    linked.mkdir()
    (git / "gitdir").write_text(f"{linked}/.git\n")
    (linked / ".git").write_text(f"gitdir: {git}\n")
    return linked


def _hooked(cwd: Path | str) -> tuple[str, str]:
    route = for_hook({}, str(cwd))
    return route.data_dir, route.agent_id


def test_f070_f071_a_worktree_shares_the_main_checkouts_memory_unless_it_is_isolated(project: Project) -> None:
    linked = _worktree(project)
    assert _hooked(linked) == _hooked(project.root) == (str(project.data), "project")
    (project.data / "hooks.conf").write_text("worktree=isolated\n")
    assert _hooked(linked) == (str(linked / ".graymatter"), "app-fix")


def test_f073_f074_places_that_are_no_project_stay_empty(project: Project, tmp_path: Path) -> None:
    for number in range(3):
        place = tmp_path / f"x{number}"
        place.mkdir()
        for cwd in ("/", "/tmp", "/var/tmp"):
            assert project.prompt("remember: x", cwd=str(cwd)).stdout == b""
        assert b"nothing was saved" in project.prompt("remember: x", cwd=str(place)).stdout
        assert os.listdir(place) == []


@pytest.mark.parametrize("name", ["my", "my-app", "my-app-2", "My_App.2", "проект-α"])
def test_f076_a_name_is_never_cut(project: Project, name: str) -> None:
    folder = project.root.parent / name
    folder.mkdir()
    expected = {"My_App.2": "my-app-2"}.get(name, name)
    assert _hooked(folder)[1] == expected


def test_f077_a_link_leads_to_the_same_memory(project: Project) -> None:
    link = project.root.parent / "link"
    link.symlink_to(project.root)
    project.add("Zeppelin hangars open at nine")
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s",
        "cwd": str(link),
        "prompt": "zeppelin hangars?",
    }
    assert project.hook(payload).lines == ["Zeppelin hangars open at nine"]


def test_f079_a_renamed_project_adopts_its_memory(project: Project) -> None:
    project.add("Zeppelin hangars open at nine", pinned=True)
    assert Memory(project.data, project.user_dir).adopt("project", "app2") == (1, 0)
    renamed = project.root.with_name("app2")
    project.root.rename(renamed)
    assert for_cli(str(renamed), None).agent_id == "app2"


def test_f080_the_payloads_directory_counts_where_the_variable_is_absent(project: Project) -> None:
    assert _hooked(project.root)[0] == str(project.data)
    named = for_hook({b"CLAUDE_PROJECT_DIR": os.fsencode(project.root)}, "/")
    assert named.data_dir == str(project.data)
