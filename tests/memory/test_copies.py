"""Private copies: whole, private, and never of something that is no store."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.copies import copy_store
from gmhooks.memory.inspection import inspect
from gmhooks.store.check import verify
from gmhooks.store.errors import StoreBusy, StoreDamaged, StoreMissing
from gmhooks.store.spool import Spooled, put


def test_copy_is_a_sound_private_store_and_the_original_is_untouched(memory: Memory, tmp_path: Path) -> None:
    memory.remember("app", "Copied")
    target = tmp_path / "target"
    target.mkdir()
    before = Path(memory.data_dir, "gray.mdb").read_bytes()
    copy_store(memory.data_dir, str(target))
    assert verify(str(target)) == []
    assert (target / "gray.mdb").stat().st_mode & 0o777 == 0o600
    assert Path(memory.data_dir, "gray.mdb").read_bytes() == before


def test_link_fifo_and_absence_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        copy_store(str(tmp_path), str(tmp_path))
    (tmp_path / "gray.mdb").symlink_to("/dev/zero")
    with pytest.raises(StoreDamaged):
        copy_store(str(tmp_path), str(tmp_path / "x"))
    (tmp_path / "gray.mdb").unlink()
    os.mkfifo(tmp_path / "gray.mdb")
    with pytest.raises(StoreDamaged):
        copy_store(str(tmp_path), str(tmp_path / "x"))


def test_writer_that_does_not_end_is_busy(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gmhooks.memory.copies._LOCK_TRIES", (1, 0))
    fd = os.open(memory.data_dir, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        with pytest.raises(StoreBusy):
            copy_store(memory.data_dir, str(tmp_path))
    finally:
        os.close(fd)


def test_inspection_shows_stored_and_waiting_facts_without_trust(memory: Memory) -> None:
    memory.remember("app", "Stored")
    put(memory.data_dir, Spooled(b"\1" * 16, 5, "app", "Waiting", 0, 0))
    found = inspect(memory.data_dir)
    assert found.problems == ()
    assert [fact.text for fact in found.facts] == ["Stored"]
    assert [(fact.text, fact.waiting) for fact in found.waiting] == [("Waiting", True)]
