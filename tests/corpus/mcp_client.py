"""A stdio MCP client of a few lines: enough to let a model save one memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.corpus.launch import Ran, run

_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "corpus", "version": "1"},
}


def add_memory(command: Sequence[str], env: Mapping[str, str], project: Path, text: str) -> Ran:
    """Call `memory_add` with `text` under the project's own agent id and close the session."""
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": _HELLO},
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "memory_add", "arguments": _arguments(project, text)},
        },
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages]
    return run(command, env, project, lines)


def _arguments(project: Path, text: str) -> dict[str, str]:
    return {"agent_id": project.name, "text": text}
