"""A prepared data directory whose store must be sound when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.store.check import verify
from gmhooks.store.create import prepare
from gmhooks.store.records import USER
from gmhooks.store.writer import save


@pytest.fixture
def user_dir(tmp_path: Path) -> str:
    return str(tmp_path / "user")


@pytest.fixture
def folder(tmp_path: Path, user_dir: str) -> Iterator[str]:
    project = tmp_path / "project"
    project.mkdir()
    data = str(project / ".graymatter")
    prepare(data, user_dir)
    yield data
    assert verify(data) == []


@pytest.fixture
def path(folder: str) -> Iterator[Path]:
    """A data file that a test may damage."""
    save(folder, [("app", f"fact number {n}", USER, 0) for n in range(60)], 1_800_000_000_000_000)
    file = Path(folder, "gray.mdb")
    whole = file.read_bytes()
    yield file
    file.write_bytes(whole)
