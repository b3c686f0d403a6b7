"""Windsurf: one file in the home directory for all projects; a `.windsurf/mcp.json` in a project is not loaded."""

from __future__ import annotations

from gmhooks.init.clients.client import JSON, PREPARED_ONLY, Client, stdio

CLIENT = Client(
    id="windsurf",
    title="Windsurf",
    order=5,
    dialect=JSON,
    table="mcpServers",
    path=lambda where: where.in_home(".codeium", "windsurf", "mcp_config.json"),
    entry=lambda where: stdio(where.launcher(), where.options(PREPARED_ONLY)),
    private=True,
    documentation="https://docs.windsurf.com/windsurf/cascade/mcp",
)
