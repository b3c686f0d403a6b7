"""Where Claude Code keeps what it knows about a project, as the client itself names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.context.claudecode import config_dir, notes_folder, project_folder


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("/home/me/my.app", "-home-me-my-app"),
        ("/home/me/my_app (2)", "-home-me-my-app--2-"),
        ("/srv/проект", "-srv-------"),
        ("/srv/a\U0001f680b", "-srv-a--b"),
    ],
)
def test_every_unit_that_is_no_ascii_letter_or_digit_is_a_dash(root: str, name: str) -> None:
    assert project_folder(root, "/c") == f"/c/projects/{name}"
    assert notes_folder(root, "/c") == f"/c/projects/{name}/memory"


def test_a_long_name_is_found_by_what_is_left_of_it(tmp_path: Path) -> None:
    root = "/" + "deep/" * 60
    cut = tmp_path / "projects" / ("-" + "deep-" * 60)[:200]
    assert project_folder(root, str(tmp_path)) == str(cut)
    hashed = Path(f"{cut}-1x9k2")
    hashed.mkdir(parents=True)
    assert project_folder(root, str(tmp_path)) == str(hashed)


def test_the_directory_of_the_client_may_be_named() -> None:
    assert config_dir({"HOME": "/home/me"}) == "/home/me/.claude"
    assert config_dir({"HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/etc/c"}) == "/etc/c"
