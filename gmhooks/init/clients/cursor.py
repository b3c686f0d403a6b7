"""Cursor: the project's `.cursor/mcp.json`. It fills in `${userHome}` and `${workspaceFolder}`; servers start anywhere."""

from __future__ import annotations

from gmhooks.init.clients.client import BELOW_HOME, JSON, Client, stdio

CLIENT = Client(
    id="cursor",
    title="Cursor",
    order=2,
    dialect=JSON,
    table="mcpServers",
    path=lambda where: where.in_project(".cursor", "mcp.json"),
    entry=lambda where: stdio(
        "${userHome}" + BELOW_HOME, where.options(), env={"CLAUDE_PROJECT_DIR": "${workspaceFolder}"}
    ),
    documentation="https://cursor.com/docs/context/mcp",
)
