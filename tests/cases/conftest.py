"""A prepared memory and a project with hooks for the cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Place
from tests.hooks.project import Project
from tests.mcp.conftest import desk as desk
from tests.mcp.conftest import lean as lean


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "my-app").mkdir()
    return Place(tmp_path / "home", tmp_path / "home" / "my-app")
