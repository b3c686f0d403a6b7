"""The real Claude Code client and the fake API it talks to, where this machine has both."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.shared_material import SHARED

_CI_CACHE = Path(os.environ.get("TMPDIR", "/tmp")) / "gmhooks-ci-client"
Record = dict[str, Any]


def fake_api() -> ModuleType:
    """The fake API's module; skips the test where the shared material is absent."""
    if SHARED is None:
        pytest.skip("shared material absent: no fake API to run the client against")
    path = SHARED / "claude-code" / "fake_api.py"
    spec = importlib.util.spec_from_file_location("fake_api", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def client_binary(api: ModuleType) -> str:
    """Path of the client: CLAUDE_BIN, else where .ci/run puts it; skips the test where there is none."""
    found: str | None = api.find_client(str(_CI_CACHE))
    if found is None:
        pytest.skip("the real Claude Code client is not installed: .ci/run installs it with npm, or set CLAUDE_BIN")
    return found
