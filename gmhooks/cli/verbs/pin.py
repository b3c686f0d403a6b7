"""`graymatter pin [agent_id] FACT`: keep a fact first at every session start; `unpin` is the same with off."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, Fault
from gmhooks.cli.options import split_agent
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import corrected_scopes, locate, memory_of
from gmhooks.memory.errors import AliasMeant

_CHANGED = ("Unpinned", "Pinned")
_UNCHANGED = ("Not pinned, nothing to change:", "Already pinned:")


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = f"{parser.prog} [options] [agent_id] FACT"
    parser.add_argument("words", nargs="+", metavar="FACT", help="an id (6 characters or more) or the whole text")
    parser.add_argument("--shared", action="store_true", help="look in shared memory only")


def run(args: argparse.Namespace, out: Out) -> int:
    """Pin the fact."""
    return set_pin(args, out, on=True)


def set_pin(args: argparse.Namespace, out: Out, *, on: bool) -> int:
    """Pin or unpin the fact that the words name, and say so."""
    agent_id, target = split_agent(args.words, "fact", shared=args.shared)
    route = locate(args)
    scopes, anywhere = corrected_scopes(route, agent_id, shared=args.shared)
    try:
        fact, changed = memory_of(route).set_pin(target, scopes, ids_anywhere=anywhere, on=on)
    except AliasMeant as error:
        raise Fault("alias", str(error), then="graymatter list --all shows the facts that can be pinned") from None
    payload = {"agent_id": fact.agent_id, "id": fact.id, "short_id": fact.short_id, "pinned": on, "changed": changed}
    said = _CHANGED if changed else _UNCHANGED
    out.confirm(payload, [f"{said[on]} [{fact.short_id}] {shown(fact.text)}"])
    return DONE
