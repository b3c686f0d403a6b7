"""`graymatter list [agent_id]`: stored facts, newest first."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, UsageFault
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate, memory_of, note_former
from gmhooks.cli.program import runnable
from gmhooks.memory.views import FactView
from gmhooks.store.namespaces import SHARED


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("agent_id", nargs="?", help="whose facts (default: this project's)")
    parser.add_argument("--shared", action="store_true", help="facts every agent sees")
    parser.add_argument("--all", action="store_true", help="facts of every agent id in the store")
    parser.add_argument("--retired", action="store_true", help="retired facts too")
    parser.add_argument("--limit", type=_count, metavar="N", help="at most N facts")


def run(args: argparse.Namespace, out: Out) -> int:
    """Print one fact a line: date, id, marks, text."""
    if args.agent_id is not None:
        check_agent_id(args.agent_id)
    if sum((args.agent_id is not None, args.shared, args.all)) > 1:
        raise UsageFault("an agent id, --shared and --all exclude each other")
    route = locate(args)
    agent_id = SHARED if args.shared else args.agent_id or route.agent_id
    facts = memory_of(route).list(None if args.all else agent_id, retired=args.retired, limit=args.limit)
    payload = {
        "agent_id": None if args.all else agent_id,
        "facts": [fact.as_object() for fact in facts],
        "count": len(facts),
    }
    if not facts and not out.as_json:
        out.note("No facts." if args.all else f"No facts under {shown(agent_id)}.")
        if args.agent_id is not None:
            out.note(runnable("graymatter agents lists the agent ids"))
        elif not args.shared:
            note_former(route, out)
    out.answer(payload, (_line(fact, named=args.all) for fact in facts))
    return DONE


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _line(fact: FactView, *, named: bool) -> str:
    marks = [fact.agent_id] if named else []
    marks += ["pinned"] if fact.pinned else []
    marks += [fact.confidence] if fact.confidence else []
    marks += [f"via {fact.source}"] if fact.source not in ("user", "cli") else []
    marks += [] if fact.live else ["retired"]
    marks += ["waiting"] if fact.waiting else []
    extra = f" ({', '.join(map(shown, marks))})" if marks else ""
    return f"{fact.created_at[:10]} [{fact.short_id}]{extra} {shown(fact.text)}"
