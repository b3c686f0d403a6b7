"""`graymatter consolidate [agent_id]`: let unused facts fade, and erase what has faded."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.memory.outcomes import Consolidated


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("agent_id", nargs="?", help="only this agent's facts (default: every agent's in this store)")
    parser.add_argument("--dry-run", action="store_true", help="say what would change and do nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Fold the access journal, decay, prune, and say what was erased."""
    owner = None if args.agent_id is None else check_agent_id(args.agent_id)
    done = memory_of(locate(args)).consolidate(owner, dry_run=args.dry_run)
    payload = {
        "changed": not args.dry_run and any(each.lighter or each.pruned for each in done),
        "agents": [
            {"agent_id": each.agent_id, "decayed": each.lighter, "pruned": [fact.as_object() for fact in each.pruned]}
            for each in done
        ],
    }
    out.confirm(payload, _lines(done, dry_run=args.dry_run))
    return DONE


def _lines(done: list[Consolidated], *, dry_run: bool) -> list[str]:
    lines = []
    for each in done:
        fades = counted(each.lighter, "fact")
        said = (
            f"would fade {fades}, erase {len(each.pruned)}" if dry_run else f"{fades} faded, {len(each.pruned)} erased"
        )
        lines.append(f"{shown(each.agent_id)}: {said}")
        lines += [f"  [{fact.short_id}] {shown(fact.text)}" for fact in each.pruned]
    return lines or ["Nothing to consolidate: no facts are stored here, or none under this agent id."]
