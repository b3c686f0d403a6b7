"""Google Antigravity: one file in the home directory for all projects; wired only on request."""

from __future__ import annotations

from gmhooks.init.clients.client import JSON, PREPARED_ONLY, Client, stdio

CLIENT = Client(
    id="antigravity",
    title="Antigravity",
    order=7,
    dialect=JSON,
    table="mcpServers",
    path=lambda where: where.in_home(".gemini", "antigravity", "mcp_config.json"),
    entry=lambda where: stdio(where.launcher(), where.options(PREPARED_ONLY)),
    opt_in=True,
    private=True,
    documentation="https://antigravity.google/docs/mcp",
)
