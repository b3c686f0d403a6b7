"""`graymatter adopt OLD`: give the facts of a renamed project's id to this project."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.memory.errors import NotFound
from gmhooks.store.namespaces import SHARED


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("old", metavar="OLD", help="the agent id that the project had (graymatter agents lists them)")
    parser.add_argument("--dry-run", action="store_true", help="say what would move and do nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Move facts, aliases and checkpoints; their ids, times, pins and revisions stay."""
    old = check_agent_id(args.old, "graymatter agents lists the ids")
    route = locate(args)
    if old == route.agent_id:
        raise UsageFault(f"{shown(old)!r} is this project's own id")
    if SHARED in (old, route.agent_id):
        raise UsageFault("shared memory belongs to every project and is not adopted")
    try:
        facts, checkpoints = memory_of(route).adopt(old, route.agent_id, dry_run=args.dry_run)
    except NotFound as error:
        raise Fault("not_found", str(error), then="graymatter agents lists the ids") from None
    payload = {
        "agent_id": route.agent_id,
        "adopted": old,
        "facts": facts,
        "checkpoints": checkpoints,
        "changed": not args.dry_run and facts + checkpoints > 0,
    }
    verb = "Would move" if args.dry_run else "Moved"
    said = f"{verb} {counted(facts, 'fact')} and {counted(checkpoints, 'checkpoint')} from {shown(old)}"
    out.confirm(payload, [f"{said} to {shown(route.agent_id)}."])
    return DONE
