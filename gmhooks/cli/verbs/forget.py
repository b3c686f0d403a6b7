"""`graymatter forget [agent_id] FACT`: retire one fact, named by its id or its whole text."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.options import split_agent
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import corrected_scopes, locate, memory_of


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "graymatter forget [options] [agent_id] FACT"
    parser.add_argument("words", nargs="+", metavar="FACT", help="an id (6 characters or more) or the whole text")
    parser.add_argument("--shared", action="store_true", help="look in shared memory only")


def run(args: argparse.Namespace, out: Out) -> int:
    """Retire the fact and every copy of its text in the same namespace."""
    agent_id, target = split_agent(args.words, "fact", shared=args.shared)
    route = locate(args)
    scopes, anywhere = corrected_scopes(route, agent_id, shared=args.shared)
    facts = memory_of(route).forget(target, scopes, ids_anywhere=anywhere)
    payload = {
        "agent_id": facts[0].agent_id,
        "superseded": [fact.id for fact in facts],
        "retired_text": facts[0].text,
    }
    out.confirm(payload, [f"Forgot [{fact.short_id}] {shown(fact.text)}" for fact in facts])
    return DONE
