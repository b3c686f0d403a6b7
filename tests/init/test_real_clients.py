"""The real clients start without network, read what we wrote, and are told our tools; those that lie in one folder."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.mcp.tools import TOOLS
from tests.cli.program import Place
from tests.installed import without_network

_FOLDER = os.environ.get("GMHOOKS_CLIENTS", "")
# In the launcher's place: the server behind it, with all that is asked and answered kept.
_LISTENING = """#!/bin/sh
tee -a "$0.asked" | "$0.real" "$@" | tee -a "$0.answered"
"""


def _listed(place: Place, binary: str) -> str:
    """What the client's own list of servers says."""
    told = place.raw([*without_network(), binary, "mcp", "list"])
    assert told.returncode == 0, told.stderr
    return told.stdout


def _codex_thread(place: Place, binary: str) -> str:
    """What Codex tells a program that starts a session in the project and asks for the servers of it."""
    process = subprocess.Popen(
        [*without_network(), binary, "app-server"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=place.home,
        env=place.env(),
    )  # fmt: skip

    def ask(number: int, method: str, **params: object) -> str:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        return next(line for line in process.stdout if json.loads(line).get("id") == number)

    with process:
        ask(1, "initialize", clientInfo={"name": "test", "version": "1"})
        thread = json.loads(ask(2, "thread/start", cwd=str(place.project)))["result"]["thread"]["id"]
        said = ask(3, "mcpServerStatus/list", threadId=thread)
        process.terminate()
    return said


_CLIENTS: dict[str, tuple[tuple[str, ...], Callable[[Place, str], str], str]] = {
    "claude": (("--mcp", "user"), _listed, "Connected"),
    "codex": (("--only", "codex"), _codex_thread, '"connected"'),
    "opencode": (("--only", "opencode"), _listed, "connected"),
}


@pytest.mark.parametrize("program", _CLIENTS)
def test_the_client_starts_our_server_and_is_told_its_tools(program: str, tmp_path: Path) -> None:
    binary = Path(_FOLDER) / program
    if not _FOLDER or not binary.exists():
        pytest.skip(f"no {program} here: set GMHOOKS_CLIENTS to the node_modules/.bin that holds it")
    wired, ask, word = _CLIENTS[program]
    place = Place(tmp_path / "home", tmp_path / "home" / "my-app", {"PATH": os.environ["PATH"]})
    (place.project / ".git").mkdir(parents=True)
    place.ok("init", *wired)
    launcher = place.user_dir / "gmhooks-mcp"
    launcher.rename(f"{launcher}.real")
    launcher.write_text(_LISTENING)
    launcher.chmod(0o700)

    told = ask(place, str(binary))

    assert "graymatter" in told
    assert word in told
    asked = Path(f"{launcher}.asked").read_text()
    assert asked.startswith("{")
    if program != "claude":  # whose list of servers goes no further than the handshake; journeys see its tools
        assert '"tools/list"' in asked
        answered = Path(f"{launcher}.answered").read_text()
        assert [tool["name"] for tool in TOOLS if f'"{tool["name"]}"' not in answered] == []
