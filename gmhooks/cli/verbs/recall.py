"""`graymatter recall [agent_id] QUERY`: find the facts that fit a question."""

from __future__ import annotations

import argparse
import math

from gmhooks.cli.errors import DONE, UsageFault
from gmhooks.cli.options import CONFIDENCES, split_agent
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of, note_former
from gmhooks.cli.program import runnable
from gmhooks.memory.options import RecallOptions
from gmhooks.memory.rehearsal import THRESHOLDS, Rehearsed
from gmhooks.memory.views import Recalled
from gmhooks.store.namespaces import SHARED

_WEIGHT_TOP = 0.5


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "graymatter recall [options] [agent_id] QUERY"
    parser.add_argument("words", nargs="+", metavar="QUERY", help="the question; quote it")
    parser.add_argument("--top-k", type=int, default=0, metavar="N", help="at most N facts (default: 8)")
    parser.add_argument("--shared", action="store_true", help="search shared memory only")
    parser.add_argument("--all", action="store_true", help="search the agent's and shared memory together")
    parser.add_argument("--explain", action="store_true", help="add each fact's ranks, scores and origin")
    parser.add_argument("--as-hook", action="store_true", help="with --explain: what the prompt hook would show, and why")
    parser.add_argument("--min-confidence", choices=CONFIDENCES, help="leave out facts below this confidence")
    parser.add_argument("--confidence-weight", type=_weight, metavar="W", help="0 to 0.5 (default: 0)")
    parser.add_argument("--neighbours", action="store_true", help="let facts gain from those written around them")


def run(args: argparse.Namespace, out: Out) -> int:
    """Print the facts, best first, one a line."""
    if args.shared and args.all:
        raise UsageFault("--shared and --all exclude each other")
    if args.explain and (args.shared or args.all):
        raise UsageFault("--explain works on one agent's memory", then="leave out --shared and --all")
    if args.as_hook and not args.explain:
        raise UsageFault("--as-hook goes with --explain")
    if args.as_hook and _wanted(args) != RecallOptions():
        raise UsageFault("the prompt hook has no such options", then="leave out what changes the search")
    agent_id, query = split_agent(args.words, "question", shared=args.shared)
    route = locate(args)
    named, agent_id = agent_id is not None, agent_id or route.agent_id
    memory = memory_of(route)
    if args.as_hook:
        _rehearsed(memory.rehearse(agent_id, query), out)
        return DONE
    wanted = _wanted(args)
    if args.shared:
        found = memory.recall_shared(query, options=wanted)
    elif args.all:
        found = memory.recall_all(agent_id, query, options=wanted)
    elif args.explain:
        found = memory.recall_explain(agent_id, query, options=wanted)
    else:
        found = memory.recall(agent_id, query, options=wanted)
    _print(found, agent_id, out)
    if named and not found.facts and not out.as_json:
        hint = "graymatter agents lists the agent ids. If it is a word of the question: quote the whole question"
        out.note(runnable(hint))
    elif not found.facts and not args.shared and not out.as_json:
        note_former(route, out)
    return DONE


def _wanted(args: argparse.Namespace) -> RecallOptions:
    return RecallOptions(args.top_k, args.min_confidence, args.confidence_weight, args.neighbours)


def _weight(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _WEIGHT_TOP:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 0.5")
    return value


def _rehearsed(found: Rehearsed, out: Out) -> None:
    lines = [found.block or "Nothing would be shown.", f"{found.tier}: {found.reason}"]
    for term in found.terms:
        read = f" (typed {shown(term.typed)})" if term.typed else ""
        tells = "" if term.tells else ", says how to work only"
        lines.append(f"  {shown(term.term)}{read}: in {counted(term.df, 'fact')}, rarity {term.rarity:.2f}{tells}")
    for fact in found.facts:
        words = ", ".join(map(shown, fact.terms))
        lines.append(f"{'shown' if fact.shown else 'not shown'}: {shown(fact.text)}")
        cover = f"covers {fact.cover:.0%} of the prompt's weight by {words}"
        lines.append(f"  {fact.tier}, {cover}, keyword rank {fact.keyword_rank}")
    lines.append(", ".join(f"{name} {value}" for name, value in THRESHOLDS.items()))
    out.answer(found.payload(), lines)


def _print(found: Recalled, agent_id: str, out: Out) -> None:
    payload: dict[str, object] = {
        "agent_id": agent_id,
        "scope": found.scope,
        "query": found.query,
        "facts": [fact.text for fact in found.facts],
        "count": len(found.facts),
    }
    if found.receipts:
        payload["receipts"] = list(found.receipts)
    if found.retrieval is not None:
        payload["retrieval"] = found.retrieval
    if not out.as_json:
        out.note(_header(found, agent_id))
    out.answer(payload, _lines(found))


def _header(found: Recalled, agent_id: str) -> str:
    whose = "shared memory" if found.scope == "shared" else shown(agent_id)
    if found.scope == "all":
        shared = sum(fact.agent_id == SHARED for fact in found.facts)
        whose += f" and shared memory ({shared:,} shared)" if found.facts else " and shared memory"
    if not found.facts:
        return f"Nothing found in {whose}."
    return f"{counted(len(found.facts), 'fact')} from {whose}{_fitting(found)}:"


def _fitting(found: Recalled) -> str:
    """How many of the facts fit the question, when others fill up."""
    fitting = sum(found.matches)
    if fitting == len(found.facts) or not found.query.strip():
        return ""
    if not fitting:
        return ", none of which matches"
    first = "the first " if all(found.matches[:fitting]) else ""
    return f", of which {first}{fitting} {'matches' if fitting == 1 else 'match'}"


def _lines(found: Recalled) -> list[str]:
    lines = []
    for position, fact in enumerate(found.facts):
        lines.append(shown(fact.text))
        if position < len(found.receipts):
            lines.append(f"  {_receipt_line(found.receipts[position])}")
    return lines


def _receipt_line(receipt: dict[str, object]) -> str:
    parts = []
    for key, value in receipt.items():
        if isinstance(value, dict):
            parts += [f"{name}={shown(str(item))}" for name, item in value.items()]
        elif key != "text":
            parts.append(f"{key}={shown(str(value))}")
    return " ".join(parts)
