"""OpenAI Codex: a table in `$CODEX_HOME/config.toml` of this user, so the server is of use only in prepared projects."""

from __future__ import annotations

import os

from gmhooks.init.clients.client import PREPARED_ONLY, TOML, Client, Where, stdio


def _path(where: Where) -> str:
    return os.path.join(where.named("CODEX_HOME", ".codex"), "config.toml")


CLIENT = Client(
    id="codex",
    title="Codex",
    order=3,
    dialect=TOML,
    table="mcp_servers",
    path=_path,
    entry=lambda where: stdio(where.launcher(), where.options(PREPARED_ONLY)),
    private=True,
    documentation="https://developers.openai.com/codex/mcp",
)
