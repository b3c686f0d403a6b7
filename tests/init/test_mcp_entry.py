"""Registering the server and allowing its tools: additions only, byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gmhooks.init import mcp_entry, mcp_launcher
from gmhooks.init.clients.client import Where
from gmhooks.init.mcp_entry import PROJECT, USER, allow, register, registered
from gmhooks.init.rule import RULE


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def user_dir(tmp_path: Path) -> str:
    return str(tmp_path / ".local/share/gmhooks")


def test_a_new_file_names_no_directory_of_this_machine(root: Path, user_dir: str) -> None:
    report = register("project", str(root), user_dir)

    assert report.outcome == "created"
    text = (root / ".mcp.json").read_text()
    assert text == (
        '{\n  "mcpServers": {\n    "graymatter": {\n      "type": "stdio",\n'
        '      "command": "${HOME}/.local/share/gmhooks/gmhooks-mcp",\n      "args": []\n    }\n  }\n}\n'
    )
    assert os.access(mcp_launcher.path_in(user_dir), os.X_OK)
    assert registered(str(root))


@pytest.mark.parametrize("scope", mcp_entry.SCOPES)
def test_a_second_run_changes_nothing(root: Path, user_dir: str, scope: str) -> None:
    register(scope, str(root), user_dir)
    client = PROJECT if scope == "project" else USER
    path = Path(client.path(Where(str(root), user_dir, os.environ["HOME"])))
    before = path.read_bytes(), path.stat().st_mtime_ns

    assert register(scope, str(root), user_dir).outcome == "unchanged"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_the_users_file_keeps_every_other_byte_and_its_mode(root: Path, user_dir: str, home: Path) -> None:
    text = '{"numStartups": 12345678901234567890,\r\n\t"mcpServers": {"other": {"command": "x"}}, "p": [1.50]}'
    path = home / ".claude.json"
    path.write_bytes(text.encode())
    path.chmod(0o600)

    assert register("user", str(root), user_dir).outcome == "updated"

    value = USER.entry(Where(str(root), user_dir, str(home)))
    added = json.dumps(value)
    assert path.read_bytes().decode() == text.replace('"x"}}', '"x"}, "graymatter": ' + added + "}")
    assert path.stat().st_mode & 0o777 == 0o600
    assert value["args"] == ["--prepared-only"]


@pytest.mark.parametrize("own", ['{"command": "mine"}', '{"type": "http", "url": "http://x"}', "null", "5"])
def test_another_server_of_that_name_is_kept(root: Path, user_dir: str, own: str) -> None:
    text = '{"mcpServers": {"graymatter": ' + own + "}}"
    (root / ".mcp.json").write_text(text)
    assert register("project", str(root), user_dir).outcome == "preserved"
    assert (root / ".mcp.json").read_text() == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "not_object"),
        ('{"mcpServers": []}', "wrong_type"),
        ('{"a": 1', "invalid_json"),
        ('{"a": 1} // comment', "invalid_json"),
        ('{"mcpServers": {}, "mcpServers": {}}', "duplicate_key"),
    ],
)
def test_a_file_that_is_not_sound_is_left_alone_with_everything_else(
    root: Path, user_dir: str, text: str, reason: str
) -> None:
    (root / ".mcp.json").write_text(text)
    report = register("project", str(root), user_dir)
    assert (report.outcome, report.reason) == ("refused", reason)
    assert (root / ".mcp.json").read_text() == text
    assert not os.path.exists(user_dir)
    assert not registered(str(root))


def test_a_dry_run_writes_nothing(root: Path, user_dir: str) -> None:
    assert register("project", str(root), user_dir, dry_run=True).outcome == "created"
    assert allow(str(root), user_dir, dry_run=True).outcome == "created"
    assert list(root.iterdir()) == []
    assert not os.path.exists(user_dir)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"permissions": {"allow": ["Bash(ls)"]}}', '{"permissions": {"allow": ["Bash(ls)", "' + RULE + '"]}}'),
        ('{"permissions": {"deny": []}}', '{"permissions": {"deny": [], "allow": ["' + RULE + '"]}}'),
        ('{"model": "opus"}', '{"model": "opus", "permissions": {"allow": ["' + RULE + '"]}}'),
    ],
)
def test_the_rule_is_added_to_what_is_allowed(root: Path, user_dir: str, before: str, after: str) -> None:
    path = root / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text(before)

    assert allow(str(root), user_dir).outcome == "updated"
    assert path.read_text() == after
    assert allow(str(root), user_dir).outcome == "unchanged"


def test_an_unknown_scope_is_a_mistake_of_the_caller(root: Path, user_dir: str) -> None:
    with pytest.raises(ValueError, match="unknown scope"):
        register("nowhere", str(root), user_dir)
