"""`graymatter unpin [agent_id] FACT`: undo `pin`."""

from __future__ import annotations

import argparse

from gmhooks.cli.out import Out
from gmhooks.cli.verbs.pin import build as build
from gmhooks.cli.verbs.pin import set_pin


def run(args: argparse.Namespace, out: Out) -> int:
    """Unpin the fact."""
    return set_pin(args, out, on=False)
