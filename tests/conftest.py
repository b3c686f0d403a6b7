"""Fixtures that several parts of the suite share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.places import make_user_dir
from gmhooks.store.check import verify
from gmhooks.store.create import prepare
from tests import installed


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> installed.Program:
    """gmhooks as a user has it: one installation for the whole run, all workers included."""
    own = Path(tmp_path_factory.getbasetemp())
    return installed.shared(own.parent if own.name.startswith("popen-") else own)


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A data directory for all tests of a module, which keep to agent ids of their own."""
    project = tmp_path_factory.mktemp("project")
    folder = str(project / ".graymatter")
    prepare(folder, str(project / "user"))
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A prepared, trusted memory in a fresh directory; its store must be sound in the end."""
    user_dir, data_dir = str(tmp_path / "home" / "user"), str(tmp_path / "app" / ".graymatter")
    (tmp_path / "app").mkdir()
    make_user_dir(user_dir)
    prepare(data_dir, user_dir)
    yield Memory(data_dir, user_dir)
    assert verify(data_dir) == []
