"""`graymatter forget [agent_id] FACT`: retire one fact, named by its id or its whole text; `--purge` erases it."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.options import split_agent
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import corrected_scopes, locate, memory_of
from gmhooks.memory.outcomes import Purged


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "graymatter forget [options] [agent_id] FACT"
    parser.add_argument("words", nargs="+", metavar="FACT", help="an id (6 characters or more) or the whole text")
    parser.add_argument("--shared", action="store_true", help="look in shared memory only")
    parser.add_argument("--purge", action="store_true", help="erase it and every trace that can be reached, for good")


def run(args: argparse.Namespace, out: Out) -> int:
    """Retire the fact and every copy of its text in the same namespace."""
    agent_id, target = split_agent(args.words, "fact", shared=args.shared)
    route = locate(args)
    scopes, anywhere = corrected_scopes(route, agent_id, shared=args.shared)
    if args.purge:
        return _purge(memory_of(route).purge(target, scopes, ids_anywhere=anywhere), out)
    facts = memory_of(route).forget(target, scopes, ids_anywhere=anywhere)
    payload = {
        "agent_id": facts[0].agent_id,
        "superseded": [fact.id for fact in facts],
        "retired_text": facts[0].text,
    }
    out.confirm(payload, [*(f"Forgot [{fact.short_id}] {shown(fact.text)}" for fact in facts), "Undo: graymatter undo"])
    return DONE


def _purge(done: Purged, out: Out) -> int:
    """Say what was erased and what is out of reach; neither holds the text."""
    names = ", ".join(f"[{fact.short_id}]" for fact in done.facts)
    payload = {
        "agent_id": done.facts[0].agent_id,
        "purged": [fact.id for fact in done.facts],
        "removed": list(done.removed),
        "changed": list(done.changed),
        "also_at": list(done.also_at),
        "out_of_reach": list(done.out_of_reach),
        "saved_bytes": done.saved_bytes,
    }
    lines = [f"Erased {names} from store, index, spool, journal, session state and receipts."]
    lines += [f"Removed a copy that held it: {shown(path)}" for path in done.removed]
    lines += [f"Blanked it in {shown(record)}." for record in done.changed]
    lines += [f"The same text is also stored under {shown(owner)}." for owner in done.also_at]
    lines += ["Out of reach from here:", *(f"  {shown(place)}" for place in done.out_of_reach)]
    out.confirm(payload, lines)
    return DONE
