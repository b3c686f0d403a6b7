"""VS Code with Copilot: `.vscode/mcp.json`, key `servers`, comments allowed. It fills in the two variables."""

from __future__ import annotations

from gmhooks.init.clients.client import BELOW_HOME, JSONC, Client, stdio

CLIENT = Client(
    id="vscodecopilot",
    title="VS Code Copilot",
    order=6,
    dialect=JSONC,
    table="servers",
    path=lambda where: where.in_project(".vscode", "mcp.json"),
    entry=lambda where: {
        "type": "stdio",
        **stdio("${userHome}" + BELOW_HOME, where.options(), env={"CLAUDE_PROJECT_DIR": "${workspaceFolder}"}),
    },
    documentation="https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
)
