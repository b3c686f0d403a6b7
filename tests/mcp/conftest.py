"""A prepared project, called in process or served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.desk import Desk
from tests.mcp.lean import Lean


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def lean(desk: Desk) -> Iterator[Lean]:
    with Lean(desk) as server:
        yield server
