"""What small files of a data directory say, and that nothing else in their place says anything or is waited for."""

from __future__ import annotations

import os
from pathlib import Path

from gmhooks.memory.regular import content


def test_a_regular_file_is_read_from_either_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    path = str(tmp_path / "file")
    assert (content(path, 4), content(path, 4, from_end=True), content(path, 99)) == (b"0123", b"6789", b"0123456789")


def test_a_link_speaks_only_where_hooks_follow_it_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"elsewhere")
    (tmp_path / "link").symlink_to("file")
    path = str(tmp_path / "link")
    assert (content(path, 99), content(path, 99, linked=True)) == (b"", b"elsewhere")


def test_a_fifo_a_directory_a_device_and_nothing_say_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, Path("/dev/zero"), tmp_path / "absent"):
        assert content(str(path), 99, linked=True) == b""
