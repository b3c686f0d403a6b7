"""Preparing is complete, private and repeatable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.store.check import verify
from gmhooks.store.create import prepare
from gmhooks.store.errors import StoreDamaged

EXPECTED = {
    "MEMORY.md", ".gitignore", "spool", "state", "access.log", "hooks.log", "hooks.conf", "gray.mdb", "gray.mdb-lock",
}  # fmt: skip


def test_everything_is_there_and_private_under_any_umask(tmp_path: Path) -> None:
    for umask in (0o000, 0o022, 0o077, 0o777):
        data = tmp_path / f"{umask:o}" / ".graymatter"
        data.parent.mkdir()
        old = os.umask(umask)
        try:
            assert prepare(str(data), str(tmp_path / "user")) is True
        finally:
            os.umask(old)
        assert {path.name for path in data.iterdir()} == EXPECTED
        for path in (data, *data.iterdir()):
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
        assert (data / ".gitignore").read_text() == "*\n"
        assert verify(str(data)) == []


def test_a_killed_birth_is_cleaned_up(folder: str, tmp_path: Path, user_dir: str) -> None:
    data = tmp_path / "again"
    (data / "birth").mkdir(parents=True)
    (data / "birth" / "gray.mdb").write_bytes(b"half")
    assert prepare(str(data), user_dir) is True
    assert verify(str(data)) == []
    assert not (data / "birth").exists()


def test_a_file_in_the_way_is_named(tmp_path: Path, user_dir: str) -> None:
    (tmp_path / "data").write_text("mine")
    with pytest.raises(StoreDamaged, match="not a directory"):
        prepare(str(tmp_path / "data"), user_dir)
    assert (tmp_path / "data").read_text() == "mine"
