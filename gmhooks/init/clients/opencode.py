"""OpenCode: `opencode.jsonc` or `opencode.json` in the project, comments allowed. It fills in `{env:HOME}`."""

from __future__ import annotations

import os

from gmhooks.init.clients.client import AGENTS_MD, BELOW_HOME, JSONC, Client, Where


def _files(where: Where) -> list[str]:
    """The files it merges, those that exist."""
    return [path for name in ("opencode.jsonc", "opencode.json") if os.path.lexists(path := where.in_project(name))]


def _path(where: Where) -> str:
    return next(iter(_files(where)), where.in_project("opencode.jsonc"))


def _own_file(where: Where) -> str:
    return os.path.join(where.named("XDG_CONFIG_HOME", ".config"), "opencode", AGENTS_MD)


CLIENT = Client(
    id="opencode",
    title="OpenCode",
    order=4,
    dialect=JSONC,
    table="mcp",
    path=_path,
    entry=lambda where: {
        "type": "local",
        "command": ["{env:HOME}" + BELOW_HOME, *where.options()],
        "enabled": True,
    },
    own_file=_own_file,
    extra={"$schema": "https://opencode.ai/config.json"},
    others=lambda where: _files(where)[1:],
    documentation="https://opencode.ai/docs/mcp-servers/",
)
