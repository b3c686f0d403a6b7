"""`graymatter agents`: whose facts this store holds."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.memory.views import NamespaceCount


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Print one agent id a line with its counts; ids whose facts have all gone are left out."""
    route = locate(args)
    overview = memory_of(route).overview()
    found = [count for count in overview.namespaces if count.live or count.retired or count.aliases] if overview else []
    if not found and not out.as_json:
        out.note("No facts yet.")
    payload = {"agent_id": route.agent_id, "agents": [asdict(count) for count in found], "count": len(found)}
    out.answer(payload, [_line(count, route.agent_id) for count in found])
    return DONE


def _line(count: NamespaceCount, own: str) -> str:
    here = " (this project)" if count.agent_id == own else ""
    parts = [counted(count.live, "fact"), f"{count.retired} retired", f"{count.pinned} pinned"]
    parts += [counted(count.aliases, "alias").replace("aliass", "aliases")] if count.aliases else []
    return f"{shown(count.agent_id)}{here}: {', '.join(parts)}"
