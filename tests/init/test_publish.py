"""A user's file is replaced whole or not at all, and only if it is still the file that was read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.init import publish
from gmhooks.init.publish import Change, Snapshot
from gmhooks.init.refusal import Refusal


def grow(data: bytes | None) -> bytes:
    """The plan of these tests: one more line."""
    return (data or b"") + b"ours\n"


def keep(_change: Change) -> None:
    """Nothing to record."""


def replace(path: Path, plan: publish.Plan = grow, mode: int = 0o644) -> Change:
    return publish.replace(str(path), plan, mode=mode, before_swap=keep)


def refused(path: Path, plan: publish.Plan = grow) -> Refusal:
    with pytest.raises(Refusal) as caught:
        replace(path, plan)
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "folder" / "settings.json"
    made.parent.mkdir()
    made.write_bytes(b"theirs\n")
    return made


def test_the_new_bytes_take_the_place_and_nothing_else_is_left(file: Path) -> None:
    file.chmod(0o640)
    change = replace(file)
    assert (change.before, change.after) == (b"theirs\n", b"theirs\nours\n")
    assert file.read_bytes() == b"theirs\nours\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(file.parent) == ["settings.json"]


def test_a_plan_that_changes_nothing_touches_nothing(file: Path) -> None:
    file.parent.joinpath("settings.json.lock").touch()
    before = file.stat().st_ino, file.stat().st_mtime_ns
    assert not replace(file, lambda data: data).needed
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == before


@pytest.mark.parametrize(("mode", "umask", "wanted"), [(0o644, 0o027, 0o640), (0o600, 0o000, 0o600)])
def test_a_new_file_gets_its_mode_minus_the_umask(tmp_path: Path, mode: int, umask: int, wanted: int) -> None:
    held = os.umask(umask)
    try:
        replace(tmp_path / "new.json", mode=mode)
    finally:
        os.umask(held)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == wanted


def test_missing_folders_are_made_and_named(tmp_path: Path) -> None:
    change = replace(tmp_path / "a" / "b" / "new.json")
    assert change.folders == (str(tmp_path / "a" / "b"), str(tmp_path / "a"))
    replace(tmp_path / "a" / "b" / "new.json", lambda _: None)
    publish.remove_folders(change.folders)
    assert os.listdir(tmp_path) == []


def test_folders_go_again_when_the_file_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "write_draft", full)
    assert refused(tmp_path / "a" / "new.json").code == "io_error"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("hops", [1, 3])
def test_a_link_is_followed_and_stays(file: Path, tmp_path: Path, hops: int) -> None:
    at = file
    for number in range(hops):
        link = tmp_path / f"link{number}"
        link.symlink_to(os.path.relpath(at, tmp_path))
        at = link
    change = replace(at)
    assert change.linked
    assert at.is_symlink()
    assert file.read_bytes() == b"theirs\nours\n"
    assert os.listdir(file.parent) == ["settings.json"]


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("missing")
    (tmp_path / "folder").symlink_to("missing")
    assert refused(tmp_path / "loop").code == "symlink_loop"
    assert refused(tmp_path / "loop" / "x").code == "symlink_loop"
    assert refused(tmp_path / "dangling").code == "symlink_dangling"
    assert refused(tmp_path / "folder" / "x").code == "symlink_dangling"
    assert sorted(os.listdir(tmp_path)) == ["dangling", "folder", "loop"]


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "fifo")
    assert [refused(path).code for path in (tmp_path, tmp_path / "null", tmp_path / "fifo")] == ["not_regular"] * 3


def test_a_second_name_is_refused(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "other")
    assert refused(file).code == "hardlink"
    assert file.read_bytes() == b"theirs\n"


def test_mode_bits_mean_read_only_for_everybody(file: Path) -> None:
    file.chmod(0o444)
    assert refused(file).code == "read_only"
    file.chmod(0o644)
    file.parent.chmod(0o555)
    assert refused(file).code == "read_only"
    file.parent.chmod(0o755)
    assert file.read_bytes() == b"theirs\n"


def test_another_users_file_is_refused(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(file)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    assert refused(file).code == "foreign_owner"
    assert refused(tmp_path / "link").code == "foreign_owner"


def test_a_lock_that_stays_is_waited_for_then_named_and_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = file.parent / "settings.json.lock"
    lock.write_text("theirs")
    monkeypatch.setattr(publish, "_LOCK_WAIT_S", 0.05)
    found = refused(file)
    assert found.code == "locked"
    assert str(lock) in found.detail
    assert (lock.read_text(), file.read_bytes()) == ("theirs", b"theirs\n")


def test_a_lock_that_goes_is_waited_for(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = file.parent / "settings.json.lock"
    lock.touch()
    monkeypatch.setattr(publish.time, "sleep", lambda _: lock.unlink())
    replace(file)
    assert file.read_bytes() == b"theirs\nours\n"


def rival(file: Path, monkeypatch: pytest.MonkeyPatch, turns: set[int]) -> None:
    """Another program writes right after each of our reads whose number is in ``turns``."""
    real, reads = publish.read, []

    def read(target: str) -> Snapshot:
        seen = real(target)
        reads.append(target)
        if len(reads) in turns:
            file.write_bytes(b"rival %d\n" % len(reads))
        return seen

    monkeypatch.setattr(publish, "read", read)


def at_the_last_moment(file: Path, monkeypatch: pytest.MonkeyPatch, *edits: bytes | None) -> None:
    """Another program writes (None: removes the file) after our last look, right before each of our first swaps."""
    real, left = publish.exchange, list(edits)

    def exchange(one: str, other: str) -> bool:
        if left:
            fresh = left.pop(0)
            if fresh is None:
                file.unlink()
            else:
                file.with_name("theirs").write_bytes(fresh)
                file.with_name("theirs").rename(file)
        return real(one, other)

    monkeypatch.setattr(publish, "exchange", exchange)


@pytest.mark.parametrize("edits", [(b"rival\n",), (b"first\n", b"rival\n")], ids=["once", "while it is put back"])
def test_a_change_after_the_last_look_is_kept_and_planned_for(
    file: Path, monkeypatch: pytest.MonkeyPatch, edits: tuple[bytes, ...]
) -> None:
    """F089."""
    at_the_last_moment(file, monkeypatch, *edits)
    replace(file)
    assert file.read_bytes() == b"rival\nours\n"
    assert os.listdir(file.parent) == ["settings.json"]


def test_a_file_that_goes_after_the_last_look_is_made_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_last_moment(file, monkeypatch, None)
    replace(file)
    assert file.read_bytes() == b"ours\n"
    assert os.listdir(file.parent) == ["settings.json"]


def test_a_file_that_appears_after_the_last_look_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.unlink()
    real = os.link

    def link(one: str, other: str) -> None:
        if not file.exists():
            file.write_bytes(b"rival\n")
        real(one, other)

    monkeypatch.setattr(os, "link", link)
    replace(file)
    assert file.read_bytes() == b"rival\nours\n"
    assert os.listdir(file.parent) == ["settings.json"]


def test_a_change_before_removal_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, moved = os.rename, []

    def rename(one: str, other: str) -> None:
        if not moved:
            moved.append(one)
            file.write_bytes(b"rival\n")
        real(one, other)

    monkeypatch.setattr(os, "rename", rename)
    replace(file, lambda data: None if data == b"theirs\n" else data)
    assert file.read_bytes() == b"rival\n"
    assert os.listdir(file.parent) == ["settings.json"]


@pytest.mark.parametrize("without", ["exchange", "links"])
def test_a_system_that_cannot_swap_or_link_gets_a_rename(
    file: Path, monkeypatch: pytest.MonkeyPatch, without: str
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if without == "links":
        file.unlink()
        monkeypatch.setattr(os, "link", refused)
    else:
        monkeypatch.setattr(publish, "exchange", lambda *_: False)
    replace(file)
    assert file.read_bytes() == (b"theirs\nours\n" if without == "exchange" else b"ours\n")
    assert os.listdir(file.parent) == ["settings.json"]


@pytest.mark.parametrize("turn", [1, 2])
def test_a_change_underneath_is_planned_for_once_more(file: Path, monkeypatch: pytest.MonkeyPatch, turn: int) -> None:
    rival(file, monkeypatch, {turn})
    replace(file)
    assert file.read_bytes() == b"rival %d\nours\n" % turn


def test_a_file_that_keeps_changing_is_left_to_its_writer(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rival(file, monkeypatch, {2, 4})
    assert refused(file).code == "changed_underneath"
    assert file.read_bytes() == b"rival 4\n"
    assert os.listdir(file.parent) == ["settings.json"]


def test_the_same_size_and_time_do_not_hide_a_change(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, reads = publish.read, []

    def read(target: str) -> Snapshot:
        seen = real(target)
        reads.append(target)
        if len(reads) == 2:
            held = file.stat()
            file.write_bytes(b"sneaky\n")
            os.utime(file, ns=(held.st_atime_ns, held.st_mtime_ns))
        return seen

    monkeypatch.setattr(publish, "read", read)
    replace(file)
    assert file.read_bytes() == b"sneaky\nours\n"


KILLED = """
import os, sys
from gmhooks.init import publish
left = int(sys.argv[2])
def counted(real):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return real(*args, **kwargs)
    return call
for name in ("open", "fsync", "rename", "unlink", "fchmod", "lstat", "close"):
    setattr(os, name, counted(getattr(os, name)))
publish.replace(sys.argv[1], lambda data: b"new\\n" * 3000, mode=0o644, before_swap=lambda change: None)
"""


def test_a_kill_at_any_call_leaves_the_old_or_the_new_bytes(file: Path) -> None:
    seen = set()
    for calls in range(60):
        file.write_bytes(b"old\n")
        command = [sys.executable, "-c", KILLED, str(file), str(calls)]
        done = subprocess.run(command, cwd=Path(__file__).parents[2], check=False)
        seen.add(file.read_bytes())
        file.parent.joinpath("settings.json.lock").unlink(missing_ok=True)
        if done.returncode == 0:
            break
        assert done.returncode == 9
    assert done.returncode == 0
    assert seen == {b"old\n", b"new\n" * 3000}
