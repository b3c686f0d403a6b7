"""Shared set-up: installs in these tests leave the package's own folder alone."""

from __future__ import annotations

import pytest

from gmhooks.init import install


@pytest.fixture
def _no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_build_pack", lambda: True)
