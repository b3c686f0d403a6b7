"""Files of our own are written in one step and are closed to others."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gmhooks.init.own import make_own_folder, write_own


def test_our_own_files_are_private_and_leave_no_draft(tmp_path: Path) -> None:
    make_own_folder(str(tmp_path / "a" / "own"))
    write_own(str(tmp_path / "a" / "own" / "x"), b"1")
    write_own(str(tmp_path / "a" / "own" / "x"), b"2")
    assert stat.S_IMODE((tmp_path / "a" / "own").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "own" / "x").stat().st_mode) == 0o600
    assert os.listdir(tmp_path / "a" / "own") == ["x"]
    assert (tmp_path / "a" / "own" / "x").read_bytes() == b"2"
