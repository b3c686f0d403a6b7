"""hooks.log: one line a receipt, bounded, private, and never in the way."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks import trail


def test_a_receipt_is_one_line_of_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import posix

    monkeypatch.setitem(posix.environ, b"GRAYMATTER_CLOCK", b"@1767323045")
    trail.note(str(tmp_path), "user-prompt", "saved", 3, 'a "b"\nc')
    assert (tmp_path / "hooks.log").read_text() == (
        '{"ts":"2026-01-02T03:04:05Z","event":"user-prompt","code":"saved","ms":3,"detail":"a \\"b\\"\\nc"}\n'
    )


@given(st.text(max_size=500), st.text(max_size=60))
def test_any_text_stays_on_one_line(tmp_path_factory: pytest.TempPathFactory, detail: str, event: str) -> None:
    folder = tmp_path_factory.mktemp("log")
    trail.note(str(folder), event, "code", 1, detail)
    raw = (folder / "hooks.log").read_bytes()
    assert raw.count(b"\n") == 1
    assert json.loads(raw)["code"] == "code"


def test_the_log_moves_aside_once_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F131."""
    monkeypatch.setattr(trail, "LIMIT", 1000)
    for number in range(100):
        trail.note(str(tmp_path), "user-prompt", "code", number)
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert set(sizes) == {"hooks.log", "hooks.log.1"}
    assert max(sizes.values()) <= 1000
    assert json.loads((tmp_path / "hooks.log").read_text().splitlines()[-1])["ms"] == 99


def test_a_log_that_many_fill_at_once_moves_aside_once_and_loses_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers, lines = 8, 60
    trail.note(str(tmp_path), "user-prompt", "code", 1000)
    size = (tmp_path / "hooks.log").stat().st_size
    monkeypatch.setattr(trail, "LIMIT", size * writers * lines * 2 // 3)
    together = threading.Barrier(writers)

    def write(first: int) -> None:
        together.wait()
        for number in range(first, first + lines):
            trail.note(str(tmp_path), "user-prompt", "code", number)

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(1001, 1001 + writers * lines, lines)))
    kept = [json.loads(line)["ms"] for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(kept) == list(range(1000, 1001 + writers * lines))


def test_a_log_that_another_process_moves_aside_is_not_renamed_a_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail, "LIMIT", 10)
    (tmp_path / "hooks.log").touch(0o600)
    with open(tmp_path / "hooks.log", "rb") as full:
        fcntl.flock(full, fcntl.LOCK_EX)
        trail.note(str(tmp_path), "user-prompt", "code", 1)
    assert [file.name for file in tmp_path.iterdir()] == ["hooks.log"]
    assert json.loads((tmp_path / "hooks.log").read_text())["ms"] == 1


def test_the_log_is_private_even_under_a_strange_umask(tmp_path: Path) -> None:
    before = os.umask(0o777)
    try:
        trail.note(str(tmp_path), "user-prompt", "code", 1)
    finally:
        os.umask(before)
    assert (tmp_path / "hooks.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("obstacle", ["link", "fifo", "folder", "no directory"])
def test_what_is_no_log_is_left_alone(tmp_path: Path, obstacle: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    log = tmp_path / "hooks.log"
    if obstacle == "link":
        log.symlink_to(victim)
    elif obstacle == "fifo":
        os.mkfifo(log)
    elif obstacle == "folder":
        log.mkdir()
    trail.note(str(tmp_path / "absent" if obstacle == "no directory" else tmp_path), "user-prompt", "code", 1)
    assert victim.read_text() == "mine"
    assert not (tmp_path / "absent").exists()


def test_a_place_names_type_file_and_line_without_the_message() -> None:
    try:
        json.loads("{secret")
    except ValueError as error:
        found = trail.place(error)
    assert found.startswith("JSONDecodeError decoder.py:")
    assert "secret" not in found
    assert trail.place(ValueError("secret")) == "ValueError"
