"""`graymatter whoami`: what the one resolver decides here, and by which rule."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate, note_former


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Print root, store, agent id and rule."""
    route = locate(args)
    payload = {"root": route.root, "store": route.data_dir, "agent_id": route.agent_id, "rule": route.rule}
    out.answer(payload, [f"{name + ':':<10}{shown(value)}" for name, value in payload.items()])
    note_former(route, out)
    return DONE
