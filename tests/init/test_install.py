"""Install and uninstall per scope: what is written where, and that it all goes away again."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from gmhooks.init import install as module
from gmhooks.init import launcher, ledger
from gmhooks.init.install import InstallReport, settings_path
from gmhooks.init.refusal import Refusal
from gmhooks.init.settings import EVENTS, handler

THEIRS = b'{\r\n\t"model": "opus"\r\n}'


@dataclass
class Place:
    """A project and a per-user directory below one fresh folder."""

    top: Path

    @property
    def root(self) -> Path:
        return self.top / "project"

    @property
    def own(self) -> Path:
        return self.top / "own"

    @property
    def file(self) -> Path:
        return self.root / ".claude" / "settings.local.json"

    def install(self, scope: str = "local", **options: bool) -> InstallReport:
        return module.install(scope, self.root, self.own, **options)

    def uninstall(self, scope: str = "local", **options: bool) -> InstallReport:
        return module.uninstall(scope, self.root, str(self.own), **options)

    def put(self, data: bytes) -> None:
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_bytes(data)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _no_pack: None) -> Place:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "project").mkdir()
    return Place(tmp_path)


def test_a_project_without_settings_is_as_before_after_uninstall(place: Place) -> None:
    report = place.install()
    assert (report.outcome, report.backup) == ("changed", None)
    assert report.reports == ["launcher_written"]
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o644
    assert place.uninstall().outcome == "removed"
    assert os.listdir(place.root) == []
    assert ledger.listed(str(place.own)) == []


def test_a_file_gets_its_bytes_back_and_its_backup_goes(place: Place) -> None:
    place.put(THEIRS)
    report = place.install()
    assert report.backup is not None
    assert Path(report.backup).read_bytes() == THEIRS
    assert place.uninstall().outcome == "removed"
    assert place.file.read_bytes() == THEIRS
    assert os.listdir(place.own / "backups") == []


def versions(top: Path) -> dict[Path, tuple[int, int]]:
    """Which files there are and when each was last written."""
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in top.rglob("*")}


def test_a_second_install_writes_nothing(place: Place) -> None:
    place.put(THEIRS)
    place.install()
    held = versions(place.top)
    again = place.install()
    assert (again.outcome, again.reports, again.backup) == ("unchanged", [], None)
    assert versions(place.top) == held


def test_uninstall_keeps_what_the_user_changed_meanwhile_and_backs_it_up(place: Place) -> None:
    place.put(THEIRS)
    place.install()
    edited = place.file.read_bytes().replace(b"opus", b"haiku")
    place.file.write_bytes(edited)
    report = place.uninstall()
    assert place.file.read_bytes() == THEIRS.replace(b"opus", b"haiku")
    assert report.backup is not None
    assert Path(report.backup).read_bytes() == edited


def test_uninstall_works_without_the_ledger(place: Place) -> None:
    place.put(THEIRS)
    place.install()
    for record in (place.own / "ledger").iterdir():
        record.unlink()
    assert place.uninstall().outcome == "removed"
    assert place.file.read_bytes() == THEIRS


def test_uninstall_without_anything_of_ours_is_no_failure(place: Place) -> None:
    assert place.uninstall().outcome == "absent"
    place.put(THEIRS)
    assert place.uninstall().outcome == "absent"
    assert place.file.read_bytes() == THEIRS
    assert not place.own.exists()


def test_an_edited_entry_is_kept_until_force(place: Place) -> None:
    place.install()
    place.file.write_bytes(place.file.read_bytes().replace(b'"timeout": 10', b'"timeout": 11'))
    kept = place.uninstall()
    assert (kept.outcome, kept.reports) == ("removed", ["hand_edited"])
    assert b'"timeout": 11' in place.file.read_bytes()
    assert place.uninstall().outcome == "unchanged"
    assert place.uninstall(force=True).outcome == "removed"
    assert os.listdir(place.root) == []


def test_dry_run_shows_the_change_and_writes_nothing(place: Place) -> None:
    place.put(b"{}\n")
    report = place.install(dry_run=True)
    assert report.outcome == "changed"
    assert '+            "command": "' + str(place.own / "gmhooks-hook") in report.diff
    assert place.file.read_bytes() == b"{}\n"
    assert not place.own.exists()
    place.install()
    held = place.file.read_bytes()
    assert place.uninstall(dry_run=True).diff.startswith("---")
    assert place.file.read_bytes() == held


def test_a_refusal_says_all_and_leaves_all(place: Place) -> None:
    place.put(b'{\n  "hooks": 7\n}')
    report = place.install()
    assert report.to_json() == {
        "path": str(place.file),
        "scope": "local",
        "outcome": "refused",
        "reason": "wrong_type",
        "line": 2,
        "pointer": "/hooks",
        "message": f"{place.file}, line 2, /hooks: wrong_type: 'hooks' must be an object, it is a number. Nothing "
        "was written; give this value the documented type or remove it, then run the command again.",
        "reports": [],
        "warnings": [],
        "diff": "",
        "backup": None,
    }
    assert report.refused
    assert not place.own.exists()


def test_a_launcher_that_cannot_run_leaves_the_settings_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> bool:
        raise Refusal("io_error", "mounted noexec", path="/own/gmhooks-hook")

    monkeypatch.setattr(launcher, "write", fail)
    report = place.install()
    assert (report.outcome, report.reason) == ("refused", "io_error")
    assert report.message.startswith("/own/gmhooks-hook: io_error: mounted noexec")
    assert os.listdir(place.root) == []


def test_a_ledger_that_cannot_be_written_refuses_before_the_swap(place: Place) -> None:
    place.put(THEIRS)
    place.own.mkdir()
    (place.own / "ledger").write_text("in the way")
    report = place.install()
    assert (report.outcome, report.reason) == ("refused", "not_regular")
    assert place.file.read_bytes() == THEIRS
    assert os.listdir(place.file.parent) == ["settings.local.json"]


def test_the_user_scope_is_private_and_honours_its_variable(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_path("user", place.root) == str(place.top / "home" / ".claude" / "settings.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place.top / "work"))
    report = place.install("global")
    assert (report.scope, report.path) == ("user", str(place.top / "work" / "settings.json"))
    assert stat.S_IMODE(os.stat(report.path).st_mode) == 0o600
    assert not (place.top / "home").exists()


def test_the_project_scope_names_no_path_of_this_machine(place: Place) -> None:
    report = place.install("project")
    text = Path(report.path).read_text()
    assert report.path == str(place.root / ".claude" / "settings.json")
    assert str(place.top) not in text
    assert {event: groups[0]["hooks"] for event, groups in json.loads(text)["hooks"].items()} == {
        event: [handler(event, None)] for event in EVENTS
    }
    assert place.uninstall("project").outcome == "removed"
    assert os.listdir(place.root) == []


@pytest.mark.parametrize("script", [None, "#!/bin/sh\nexit 7\n", "#!/bin/sh\nkill -9 $$\n", "#!/gone/interpreter\n"])
def test_the_portable_command_is_silent_and_ends_with_zero(tmp_path: Path, script: str | None) -> None:
    home = tmp_path / "a home"
    if script is not None:
        path = home / ".local" / "share" / "gmhooks" / "gmhooks-hook"
        path.parent.mkdir(parents=True)
        path.write_text(script)
        path.chmod(0o700)
    command = str(handler("PreCompact", None)["command"])
    done = subprocess.run(["/bin/sh", "-c", command], env={"HOME": str(home)}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_portable_command_passes_the_event_on(tmp_path: Path) -> None:
    path = tmp_path / ".local" / "share" / "gmhooks" / "gmhooks-hook"
    path.parent.mkdir(parents=True)
    path.write_text('#!/bin/sh\nprintf "%s" "$*"\n')
    path.chmod(0o700)
    command = str(handler("PreCompact", None)["command"])
    done = subprocess.run(["/bin/sh", "-c", command], env={"HOME": str(tmp_path)}, capture_output=True, check=True)
    assert done.stdout == b"pre-compact"


def test_two_forms_side_by_side_are_warned_of(place: Place) -> None:
    assert place.install("local").warnings == []
    assert place.install("user").warnings == []
    assert place.install("project").warnings == ["installed_twice"]
    assert "installed_twice" in place.install("local").warnings


def test_a_link_is_mentioned(place: Place) -> None:
    (place.top / "dotfiles.json").write_bytes(THEIRS)
    place.file.parent.mkdir()
    place.file.symlink_to(place.top / "dotfiles.json")
    assert place.install().warnings == ["symlink"]
    assert place.uninstall().outcome == "removed"
    assert (place.top / "dotfiles.json").read_bytes() == THEIRS


def test_an_unknown_scope_is_a_mistake_of_the_caller(place: Place) -> None:
    with pytest.raises(ValueError, match="unknown scope 'team'"):
        place.install("team")


def test_a_bytecode_pack_that_cannot_be_written_is_warned_of(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_build_pack", lambda: False)
    assert place.install().warnings == ["pack_not_built"]
