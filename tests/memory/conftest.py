"""A prepared, trusted memory in a fresh directory; its store must be sound in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.places import make_user_dir
from gmhooks.store.check import verify
from gmhooks.store.create import prepare


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    user_dir, data_dir = str(tmp_path / "home" / "user"), str(tmp_path / "app" / ".graymatter")
    (tmp_path / "app").mkdir()
    make_user_dir(user_dir)
    prepare(data_dir, user_dir)
    yield Memory(data_dir, user_dir)
    assert verify(data_dir) == []
