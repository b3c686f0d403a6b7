"""Stores for ranking tests; each must be sound when its test ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.store.check import verify
from gmhooks.store.create import prepare


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    project = tmp_path / "project"
    project.mkdir()
    data = str(project / ".graymatter")
    prepare(data, str(tmp_path / "user"))
    yield data
    assert verify(data) == []
