"""Claude Code: the project's `.mcp.json`, shared with the team, so it names no directory of this machine."""

from __future__ import annotations

import os

from gmhooks.init import mcp_launcher
from gmhooks.init.clients.client import CLAUDE_MD, JSON, Client, Where, stdio


def _own_file(where: Where) -> str:
    return os.path.join(where.named("CLAUDE_CONFIG_DIR", ".claude"), CLAUDE_MD)


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
    documentation="https://code.claude.com/docs/en/mcp",
)
