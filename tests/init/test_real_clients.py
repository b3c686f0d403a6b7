"""The real clients read what we write and reach the server; for those that npm has put into one folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.program import Place

_FOLDER = os.environ.get("GMHOOKS_CLIENTS", "")
_ASKED = {"codex": ("codex", "enabled"), "opencode": ("opencode", "connected"), "claude": ("claudecode", "graymatter")}


@pytest.mark.parametrize("program", _ASKED)
def test_the_client_lists_our_server(program: str, tmp_path: Path) -> None:
    binary = Path(_FOLDER) / program
    if not _FOLDER or not binary.exists():
        pytest.skip(f"no {program} here: set GMHOOKS_CLIENTS to the node_modules/.bin that holds it")
    client, word = _ASKED[program]
    place = Place(tmp_path / "home", tmp_path / "home" / "my-app", {"PATH": os.environ["PATH"]})
    place.project.mkdir(parents=True)
    place.ok("init", "--only", client)

    told = place.raw([str(binary), "mcp", "list"])

    assert told.returncode == 0
    assert "graymatter" in told.stdout
    assert word in told.stdout
