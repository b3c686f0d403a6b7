"""Claude Code: the project's `.mcp.json`, shared with the team, so it names no directory of this machine."""

from __future__ import annotations

import json
import os

from gmhooks.init import mcp_launcher
from gmhooks.init.clients.client import CLAUDE_MD, JSON, NAME, Client, Where, stdio


def _own_file(where: Where) -> str:
    return os.path.join(where.named("CLAUDE_CONFIG_DIR", ".claude"), CLAUDE_MD)


def _known_to_the_user(where: Where) -> bool:
    """Whether the user's own file registers our server, for every project or for this one."""
    path = os.path.join(where.named("CLAUDE_CONFIG_DIR"), ".claude.json")
    try:
        with open(path, "rb") as file:
            held = json.loads(file.read().decode("utf-8-sig"))
        scopes = [held, held.get("projects", {}).get(where.root, {})]
        return any(NAME in scope.get("mcpServers", {}) for scope in scopes)
    except (OSError, ValueError, AttributeError, TypeError):
        return False


CLIENT = Client(
    id="claudecode",
    title="Claude Code",
    order=1,
    dialect=JSON,
    table="mcpServers",
    path=lambda where: where.in_project(".mcp.json"),
    entry=lambda where: {"type": "stdio", **stdio(mcp_launcher.PORTABLE, where.options())},
    instructions=CLAUDE_MD,
    own_file=_own_file,
    known_elsewhere=_known_to_the_user,
    documentation="https://code.claude.com/docs/en/mcp",
)
