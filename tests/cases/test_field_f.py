"""Field cases, section F: writing users' configuration files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gmhooks.init.install import install, uninstall
from gmhooks.init.settings import EVENTS
from tests.cli.program import Place


@pytest.fixture(autouse=True)
def _no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gmhooks.init.install._build_pack", lambda: True)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home", tmp_path / "home" / "app")
    (made.project / ".claude").mkdir(parents=True)
    return made


def settings(place: Place, data: bytes) -> Path:
    path = place.project / ".claude" / "settings.local.json"
    path.write_bytes(data)
    return path


def installed(place: Place) -> str:
    """Reason code of a refusal, else nothing."""
    return install("local", place.project, place.user_dir).reason or ""


def test_f082_f091_everything_of_others_stays_in_its_order(place: Place) -> None:
    theirs = {
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"tool {number}"}]} for number in range(3)]},
        "permissions": {"allow": ["Bash(ls)"]},
        "statusLine": {"type": "command", "command": "line"},
        **{f"unknown {number}": {"nested": [number, {"hooks": None}], "Hooks": number} for number in range(30)},
    }
    path = settings(place, json.dumps(theirs, indent=2).encode())
    before = path.read_bytes()

    assert installed(place) == ""
    held = json.loads(path.read_bytes())
    assert list(held) == list(theirs)
    assert held["hooks"]["SessionStart"][:3] == theirs["hooks"]["SessionStart"]
    assert [len(held["hooks"][event]) for event in EVENTS] == [4, 1, 1, 1]
    assert {key: value for key, value in held.items() if key != "hooks"} == {
        key: value for key, value in theirs.items() if key != "hooks"
    }
    uninstall("local", place.project, place.user_dir)
    assert path.read_bytes() == before


def test_f083_a_torn_file_is_refused_with_its_line_by_install_and_uninstall(place: Place) -> None:
    torn = b'{"permissions":{"allow":["Bash(ls)"]},\n'
    path = settings(place, torn)
    (place.project / ".git").mkdir()

    for verb in ("install", "uninstall"):
        ran = place.run("hooks", verb)
        assert ran.code == 1
        assert f"{path}, line 2" in ran.err
    assert path.read_bytes() == torn


def test_f085_a_byte_order_mark_stays(place: Place) -> None:
    path = settings(place, b'\xef\xbb\xbf{"model":"x"}')
    assert installed(place) == ""
    assert path.read_bytes()[:3] == b"\xef\xbb\xbf"
    assert json.loads(path.read_text("utf-8-sig"))["model"] == "x"


@pytest.mark.parametrize("final", [b"", b"\r\n"])
def test_f086_line_ends_indentation_and_the_last_line_end_are_kept(place: Place, final: bytes) -> None:
    path = settings(place, b'{\r\n    "model": "x",\r\n    "env": {\r\n        "A": "1"\r\n    }\r\n}' + final)
    assert installed(place) == ""
    text = path.read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n")
    assert text.endswith(b"}" + final)
    indents = {len(line) - len(line.lstrip(b" ")) for line in text.split(b"\r\n") if line}
    assert indents <= {4 * depth for depth in range(8)}


def test_f088_a_link_into_a_repository_of_dotfiles_is_mentioned_and_gets_no_backup_beside_it(place: Place) -> None:
    dotfiles = place.home / "dotfiles"
    (dotfiles / ".git").mkdir(parents=True)
    (dotfiles / "settings.json").write_text('{"model": "x"}\n')
    (place.project / ".claude" / "settings.local.json").symlink_to(dotfiles / "settings.json")

    report = install("local", place.project, place.user_dir)

    assert report.warnings == ["symlink"]
    assert sorted(os.listdir(dotfiles)) == [".git", "settings.json"]
    assert report.backup is not None
    assert report.backup.startswith(str(place.user_dir))


def test_f097_a_session_in_a_repository_without_instruction_files_makes_none(place: Place) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place.project, check=True)
    place.ok("init", "--hooks", "--quiet")
    (place.project / ".claude" / "settings.local.json").unlink()
    place.ok("remember", "Integration tests need the staging VPN", "--quiet")
    shown = subprocess.run(["git", "status", "--porcelain"], cwd=place.project, capture_output=True, text=True, check=True)

    assert [line for line in shown.stdout.splitlines() if ".graymatter" not in line] == []
    assert not list(place.project.rglob("CLAUDE.md"))


def test_f100_the_directory_of_the_client_is_honoured(place: Place) -> None:
    (place.project / ".git").mkdir()
    place.environ["CLAUDE_CONFIG_DIR"] = str(place.home / ".claude-work")

    place.ok("hooks", "install", "--scope", "user", "--quiet")

    assert (place.home / ".claude-work" / "settings.json").exists()
    assert not (place.home / ".claude").exists()
    place.ok("hooks", "uninstall", "--scope", "user", "--quiet")
    assert not (place.home / ".claude-work" / "settings.json").exists()
