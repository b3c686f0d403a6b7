"""One installed copy for the module, one healthy machine for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doctor.setup import Setup, installed_site
from tests.init.packed_copy import Copy


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Shared: tests that damage the package take `own`."""
    return installed_site(tmp_path_factory.mktemp("installed") / "site")


@pytest.fixture
def healthy(site: Copy, tmp_path: Path) -> Setup:
    return Setup(site, tmp_path / "home")


@pytest.fixture
def own(tmp_path: Path) -> Setup:
    """A healthy set-up with an installed copy of its own, to be damaged."""
    return Setup(installed_site(tmp_path / "site"), tmp_path / "home")
