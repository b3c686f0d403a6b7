"""One machine for the run, set up once and laid back as it was for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doctor.setup import Setup, installed_site
from tests.init.packed_copy import Copy


class _Machine:
    """An installed copy and a home with a wired project, and both once more as they were at first."""

    def __init__(self, base: Path) -> None:
        self.site = installed_site(base / "site")
        self.home = base / "home"
        Setup(self.site, self.home)
        self._kept = base / "kept"
        for folder in (self.site.site, self.home):
            shutil.copytree(folder, self._kept / folder.name, symlinks=True)

    def restored(self) -> Setup:
        """The home as it was."""
        self._lay(self.home)
        return Setup(self.site, self.home, prepared=True)

    def restore_site(self) -> None:
        """The installed copy as it was."""
        self._lay(self.site.site)

    def _lay(self, folder: Path) -> None:
        for inside, _, _ in os.walk(folder):
            os.chmod(inside, 0o700)
        shutil.rmtree(folder)
        shutil.copytree(self._kept / folder.name, folder, symlinks=True)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> _Machine:
    return _Machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def site(machine: _Machine) -> Copy:
    """Shared: tests that damage the package take `own`."""
    return machine.site


@pytest.fixture
def healthy(machine: _Machine) -> Setup:
    return machine.restored()


@pytest.fixture
def own(machine: _Machine) -> Iterator[Setup]:
    """A healthy set-up whose installed copy may be damaged."""
    yield machine.restored()
    machine.restore_site()
