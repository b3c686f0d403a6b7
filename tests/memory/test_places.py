"""The per-user directory depends on HOME alone, and survives its absence."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from gmhooks.memory.places import make_user_dir, user_dir


def test_home_decides() -> None:
    assert user_dir({"HOME": "/home/dev"}) == "/home/dev/.local/share/gmhooks"


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_a_usable_home_the_account_decides(environ: dict[str, str]) -> None:
    assert user_dir(environ) == pwd.getpwuid(os.getuid()).pw_dir + "/.local/share/gmhooks"


def test_directory_is_made_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "gmhooks"
    make_user_dir(str(path))
    (path / "kept").touch()
    make_user_dir(str(path))
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "kept").exists()
