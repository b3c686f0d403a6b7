"""A fresh place for every test; `prepared` ones must hold a sound store in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.store.check import verify
from tests.cli.program import Place


@pytest.fixture
def bare(tmp_path: Path) -> Place:
    home, project = tmp_path / "home", tmp_path / "home" / "my-app"
    project.mkdir(parents=True)
    return Place(home, project)


@pytest.fixture
def place(bare: Place) -> Iterator[Place]:
    bare.ok("init", "--quiet")
    yield bare
    assert verify(str(bare.data_dir)) == []
