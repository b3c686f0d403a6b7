"""`graymatter whoami`: what the one resolver decides here, and by which rule."""

from __future__ import annotations

import argparse
from shlex import quote

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.hooks.route import Route
from gmhooks.store.errors import StoreError
from gmhooks.store.namespaces import SHARED


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Print root, store, agent id and rule."""
    route = locate(args)
    payload = {"root": route.root, "store": route.data_dir, "agent_id": route.agent_id, "rule": route.rule}
    out.answer(payload, [f"{name + ':':<10}{shown(value)}" for name, value in payload.items()])
    for owner in _orphans(route):
        out.note(f"This store holds facts under {owner}, none under {route.agent_id}: graymatter adopt {quote(owner)}")
    return DONE


def _orphans(route: Route) -> list[str]:
    """Ids that a renamed project may have had: the store has facts of theirs, and none of its own."""
    try:
        overview = memory_of(route).overview()
    except StoreError:
        return []
    held = [count.agent_id for count in overview.namespaces if count.live] if overview else []
    return [] if route.agent_id in held else [owner for owner in held if owner != SHARED]
