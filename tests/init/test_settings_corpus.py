"""Every Claude Code settings case of the handed corpus, run in process through install and uninstall."""

from __future__ import annotations

import json
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gmhooks.init import install, launcher, publish, settings
from gmhooks.init.jsonc import parse, value_of
from tests.shared_material import SHARED, needs_shared

pytestmark = needs_shared

_FOLDER = SHARED / "corpora" / "settings" if SHARED else None
_CASES: list[dict[str, Any]] = (
    [
        case
        for case in json.loads((_FOLDER / "index.json").read_text("utf-8"))["cases"]
        if case["target"] == "claude-settings"
    ]
    if _FOLDER
    else []
)


@dataclass
class Bench:
    """One fresh home and project with the case's file in place."""

    root: Path
    user_dir: Path
    file: Path
    bytes: bytes

    def install(self) -> install.InstallReport:
        return install.install("local", self.root, self.user_dir)

    def uninstall(self) -> install.InstallReport:
        return install.uninstall("local", self.root, self.user_dir)

    def entries(self) -> dict[str, list[list[object]]]:
        hooks = value_at(self.file.read_bytes(), "/hooks")
        assert isinstance(hooks, dict)
        return {
            event: [
                mine
                for group in hooks.get(event, [])
                if isinstance(group, dict) and (mine := [each for each in group.get("hooks", []) if is_ours(each)])
            ]
            for event in settings.EVENTS
        }


def is_ours(entry: object) -> bool:
    return isinstance(entry, dict) and "gmhooks-hook" in json.dumps(entry)


def value_at(data: bytes, pointer: str) -> Any:
    text = data.decode("utf-8-sig")
    value: Any = value_of(text, parse(text))
    for key in pointer.split("/")[1:]:
        value = value[key]
    return value


def commands(value: object) -> list[object]:
    if isinstance(value, dict):
        own = [value["command"]] if "command" in value and not is_ours(value) else []
        return own + [each for inner in value.values() for each in commands(inner)]
    return [each for inner in value for each in commands(inner)] if isinstance(value, list) else []


def prepare(bench: Bench, steps: list[str]) -> None:
    """Carry out the corpus's words on the file."""
    for step in steps:
        word, _, rest = step.partition(":")
        if word == "install":
            assert bench.install().outcome == "changed"
            continue
        text = bench.file.read_text("utf-8")
        if word == "oldpath":
            bench.file.write_text(text.replace(str(bench.user_dir), "/nowhere/old"), "utf-8")
            continue
        event, _, extra = rest.partition(":")
        document = json.loads(text)
        groups = document["hooks"][event]
        group = next(each for each in groups if any(is_ours(entry) for entry in each["hooks"]))
        entry = next(each for each in group["hooks"] if is_ours(each))
        if word == "drop":
            groups.remove(group)
            if not groups:
                del document["hooks"][event]
        elif word == "duplicate":
            group["hooks"].append(dict(entry))
        elif word == "add_arg":
            entry["args"].append(extra)
        elif word == "wrap":
            entry["command"], entry["args"] = extra, [entry["command"], *entry["args"]]
        elif word == "foreign_in_group":
            group["hooks"].append({"type": "command", "command": extra})
        else:
            raise AssertionError(f"unknown word {step}")
        bench.file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def set_up(bench: Bench, setup: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Carry out the setup words."""
    file, aside = bench.file, bench.root / "aside.json"
    if setup.get("absent"):
        file.unlink()
        if setup["absent"] == "dir":
            file.parent.rmdir()
    if "mode" in setup:
        file.chmod(int(setup["mode"], 8))
    if "dir_mode" in setup:
        file.parent.chmod(int(setup["dir_mode"], 8))
    if setup.get("hardlink"):
        os.link(file, aside)
    if setup.get("special") == "fifo":
        file.unlink()
        os.mkfifo(file)
    for name, content in setup.get("extra_files", {}).items():
        (file.parent / name).write_text(content, "utf-8")
    if "symlink" in setup:
        link(bench, setup["symlink"], aside)
    if setup.get("target_owner") == "other":
        monkeypatch.setattr(os, "geteuid", lambda: os.stat(aside).st_uid + 1)
    if "race" in setup:
        race(bench, setup["race"]["write"].encode(), monkeypatch)
    if setup.get("fs") == "full":
        fill(monkeypatch)


def link(bench: Bench, kind: str, aside: Path) -> None:
    file = bench.file
    if kind == "loop":
        file.unlink()
        file.symlink_to(file)
        return
    if kind.startswith("/"):
        file.unlink()
        file.symlink_to(kind)
        return
    file.rename(aside)
    if kind == "chain":
        (file.parent / "between.json").symlink_to(aside)
        aside = file.parent / "between.json"
    file.symlink_to(os.path.relpath(aside, file.parent) if kind == "relative" else aside)


def race(bench: Bench, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another program write right after the first two reads of the settings file."""
    real, reads = publish.read, []

    def read(target: str) -> publish.Snapshot:
        seen = real(target)
        reads.append(target)
        if len(reads) == 2:
            bench.file.write_bytes(data)
        return seen

    monkeypatch.setattr(publish, "read", read)


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full once the draft is written."""
    real = publish.write_draft

    def write(draft: Any, data: bytes, *rest: Any) -> None:
        real(draft, data[: len(data) // 2], *rest)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "write_draft", write)


@pytest.fixture
def bench(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _no_pack: None) -> Bench:
    case = request.param
    assert _FOLDER is not None
    root = tmp_path / "project"
    (root / ".claude").mkdir(parents=True)
    made = Bench(root, tmp_path / "own", root / ".claude" / "settings.local.json", b"")
    data = (_FOLDER / case["file"]).read_bytes() if case["file"] else b""
    for token, value in (("{{PROJECT}}", root), ("{{HOME}}", tmp_path), ("{{TMP}}", tmp_path)):
        data = data.replace(token.encode(), str(value).encode())
    made.file.write_bytes(data)
    launcher.write(str(made.user_dir))
    prepare(made, case.get("prepare", []))
    made.bytes = made.file.read_bytes()
    set_up(made, case.get("setup", {}), monkeypatch)
    return made


def names(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*")}


def held(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def check_refused(case: dict[str, Any], bench: Bench, report: install.InstallReport, before: tuple[Any, ...]) -> None:
    expect = case["expect"]
    assert report.reason == expect["reason"]
    assert expect["reason"] in report.message
    assert str(bench.file) in report.message or str(bench.root / ".claude") in report.message
    assert (names(bench.root), held(bench.file)) == before
    if "line" in expect:
        assert report.line == expect["line"] if expect["line"] is not True else report.line
    if "pointer" in expect:
        assert report.pointer == expect["pointer"]


def lines_kept(old: bytes, new: bytes) -> bool:
    """Whether every old line is there, in order; the one that ours was put into counts when both its parts are."""
    at, opened = 0, 0
    for line in old.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        found = new.find(line, at)
        if found < 0:
            cut = max(length for length in range(len(line)) if new.find(line[:length], at) >= 0)
            found = new.find(line[cut:], new.find(line[:cut], at) + cut)
            opened += 1
        if found < 0 or opened > 1:
            return False
        at = found
    return True


def check_changed(case: dict[str, Any], bench: Bench, report: install.InstallReport) -> None:
    expect, new = case["expect"], bench.file.read_bytes()
    text = new.decode("utf-8-sig")
    json.loads(text)
    if expect.get("eol") == "crlf" or expect.get("no_bare_lf"):
        assert b"\n" not in new.replace(b"\r\n", b"")
    if "final_newline" in expect:
        assert new.endswith(b"\n") is expect["final_newline"]
    if "indent" in expect:
        unit = {"2": "  ", "tab": "\t"}[expect["indent"]]
        assert f'\n{unit}"hooks": {{\n{unit}{unit}"SessionStart": [\n{unit}{unit}{unit}{{\n' in text
    if expect.get("bom") == "kept":
        assert new.startswith(b"\xef\xbb\xbf{")
    if "prefix" in expect:
        assert text.startswith(expect["prefix"])
    if expect.get("preserves_lines"):
        assert lines_kept(bench.bytes, new)
    if "key_order" in expect:
        assert list(value_at(new, ""))[: len(expect["key_order"])] == expect["key_order"]
    if "mode" in expect:
        assert stat.S_IMODE(bench.file.stat().st_mode) == int(expect["mode"], 8)
    if "foreign_commands" in expect:
        assert commands(value_at(new, "/hooks")) == expect["foreign_commands"]
    for pointer, value in expect.get("json_equals", {}).items():
        assert value_at(new, pointer) == value
    if "warns" in expect:
        assert expect["warns"] in report.warnings
    if "reports" in expect:
        assert expect["reports"] in report.reports
    for kept in expect.get("kept_verbatim", []):
        assert kept in text
    wanted = {event: [[settings.handler(event, str(bench.user_dir / "gmhooks-hook"))]] for event in settings.EVENTS}
    assert bench.entries() == wanted


@pytest.mark.parametrize(
    ("case", "bench"), [(case, case) for case in _CASES], indirect=["bench"], ids=[c["id"] for c in _CASES]
)
def test_case_ends_as_the_corpus_says(case: dict[str, Any], bench: Bench) -> None:
    expect = case["expect"]
    outcomes = expect["outcome"] if isinstance(expect["outcome"], list) else [expect["outcome"]]
    was_link = bench.file.is_symlink()
    before = (names(bench.root), held(bench.file))
    started, kept = time.monotonic(), bench.file.stat() if bench.file.exists() else None
    report = bench.install()
    assert time.monotonic() - started < 20 * expect.get("max_seconds", 1)
    assert report.outcome in outcomes, report.message
    assert bench.file.is_symlink() == was_link
    for name, content in expect.get("kept_files", {}).items():
        assert (bench.file.parent / name).read_text() == content
    if report.outcome == "refused":
        check_refused(case, bench, report, before)
        return
    if report.outcome == "unchanged":
        assert kept is not None
        assert (bench.file.read_bytes(), bench.file.stat().st_mtime_ns) == (bench.bytes, kept.st_mtime_ns)
        assert report.backup is None
    else:
        check_changed(case, bench, report)
        done = bench.file.stat().st_ino, bench.file.stat().st_mtime_ns
        again = bench.install()
        assert (again.outcome, again.backup) == ("unchanged", None)
        assert (bench.file.stat().st_ino, bench.file.stat().st_mtime_ns) == done
    gone = bench.uninstall()
    assert gone.outcome == "removed"
    if expect.get("uninstall_restores_bytes"):
        assert bench.file.read_bytes() == bench.bytes
    for command in expect.get("uninstall_keeps", []):
        assert command in commands(value_at(bench.file.read_bytes(), "/hooks"))
    if "absent" in case.get("setup", {}):
        assert not bench.file.exists()
