"""The lean server as a process, and a client of a few lines that speaks both generations of the protocol."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import gmhooks
from tests.mcp.desk import NOW, Desk

SHIM = str(Path(gmhooks.__file__).parent / "mcp" / "shim.py")
LONGEST_S = 60
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def command(desk: Desk, *options: str) -> list[str]:
    """The command that starts the server for a project."""
    return [sys.executable, "-I", "-S", SHIM, f"--user-dir={desk.user_dir}", *options]


def environ(desk: Desk) -> dict[str, str]:
    """What a client passes on."""
    return {"PATH": os.defpath, "CLAUDE_PROJECT_DIR": str(desk.root), "GRAYMATTER_CLOCK": f"@{NOW}"}


class Lean:
    """One server process."""

    def __init__(self, desk: Desk, *options: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command(desk, *options), cwd=cwd or desk.root, env=environ(desk) | (env or {}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.number = 0
        self.pending = b""

    def __enter__(self) -> Lean:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, raw: bytes) -> None:
        """Write these bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def line(self) -> bytes:
        """The next frame, as bytes."""
        assert self.process.stdout is not None
        source = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            assert select.select([source], [], [], LONGEST_S)[0], "no answer"
            chunk = os.read(source, 1 << 16)
            assert chunk, "the server ended"
            self.pending += chunk
        found, _, self.pending = self.pending.partition(b"\n")
        return found

    def raw(self, frame: bytes) -> dict[str, Any]:
        """The answer to one raw frame."""
        self.send(frame + b"\n")
        found: dict[str, Any] = json.loads(self.line())
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = True) -> dict[str, Any]:
        """The whole answer to a request."""
        self.number += 1
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if modern:
            body["params"] = {**(params or {}), "_meta": ENVELOPE}
        elif params is not None:
            body["params"] = params
        answer = self.raw(json.dumps(body).encode())
        assert answer["id"] == self.number
        return answer

    def call(self, name: str, *, modern: bool = True, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        found: dict[str, Any] = self.ask("tools/call", {"name": name, "arguments": arguments}, modern=modern)["result"]
        return found

    def leave(self) -> tuple[int, bytes, bytes]:
        """Close the input; (status, what else came on stdout, stderr)."""
        out, err = self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode, self.pending + out, err
