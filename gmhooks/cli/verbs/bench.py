"""`graymatter bench retrieval --data DIR`: how well this program finds facts, on data with known answers."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence

from gmhooks.bench.adapter import padding
from gmhooks.bench.data import BadData, load, set_names
from gmhooks.bench.score import MISSED_AFTER, Plan, Score, Tally, score
from gmhooks.bench.subject import Subject
from gmhooks.cli.errors import DONE, REFUSED, Fault, UsageFault
from gmhooks.cli.out import Out, counted, shown

_MEASURES = ("R@1", "R@3", "R@5", "R@8", "R@10", "MRR", "nDCG@10", "silent")
_TYPE_MEASURE = "R@5"


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("action", choices=("retrieval",), metavar="retrieval")
    parser.add_argument(
        "--data", required=True, metavar="DIR", help="a folder per set, with facts.jsonl and queries.jsonl"
    )
    parser.add_argument(
        "--sets", default="", metavar="NAMES", help="these sets only, separated by commas (default: all)"
    )
    parser.add_argument("--top-k", type=int, default=20, metavar="N", help="ask for N facts (default: 20)")
    parser.add_argument("--as-hook", action="store_true", help="also score what the prompt hook would inject")
    parser.add_argument("--neighbours", action="store_true", help="recall with neighbour smoothing; the hook has none")
    parser.add_argument("--no-links", action="store_true", help="store superseded facts as if nothing replaced them")
    parser.add_argument("--pad", default="", metavar="FILE:COUNT", help="let every store hold these facts besides")
    parser.add_argument("--repeat", action="store_true", help="ask everything twice; another order fails")
    parser.add_argument("--misses", action="store_true", help=f"list what is not among the first {MISSED_AFTER}")


def run(args: argparse.Namespace, out: Out) -> int:
    """Score every set in stores of its own, in a temporary folder."""
    if args.top_k < 1:
        raise UsageFault("--top-k is below 1")
    plan = Plan(args.top_k, not args.no_links, args.repeat, args.as_hook)
    try:
        others = padding(args.pad) if args.pad else []
        folders = {name: os.path.join(args.data, name) for name in _wanted(args)}
        scores = {name: _score(folder, plan, others, neighbours=args.neighbours) for name, folder in folders.items()}
    except BadData as error:
        raise Fault("bad_data", shown(str(error)), then="see docs/ranking.md for the format") from None
    unstable = sum(tally.unstable for each in scores.values() for tally in _tallies(each))
    payload = {"data": args.data, "sets": {name: _object(each, args) for name, each in scores.items()}}
    lines = [line for name, each in scores.items() for line in _lines(name, each, misses=args.misses)]
    out.answer({**payload, "unstable": unstable}, lines)
    if unstable:
        out.note(f"{counted(unstable, 'question')} had another answer the second time.")
    return REFUSED if unstable else DONE


def _wanted(args: argparse.Namespace) -> list[str]:
    there = set_names(args.data)
    named = [name for name in args.sets.split(",") if name]
    missing = [name for name in named if name not in there]
    if missing:
        raise UsageFault(f"there is no set {shown(missing[0])!r}", then=f"one of: {shown(', '.join(there))}")
    return [name for name in there if not named or name in named]


def _score(folder: str, plan: Plan, others: Sequence[str], *, neighbours: bool) -> Score:
    spaces = load(folder)
    with tempfile.TemporaryDirectory(prefix="gmhooks-bench-") as scratch:
        return score(Subject(scratch, others, neighbours=neighbours), spaces, plan)


def _tallies(found: Score) -> list[Tally]:
    return [found.recall] if found.hook is None else [found.recall, found.hook]


def _object(found: Score, args: argparse.Namespace) -> dict[str, object]:
    body = found.recall.as_object()
    if found.hook is not None:
        body["as_hook"] = {**found.hook.as_object(), "R@3_lost": found.lost}
    if args.misses:
        body["missed"] = [_answered(query.id, query.gold, ids) for query, ids in found.recall.missed]
    if args.misses and found.hook is not None:
        body["intruders"] = [_answered(query.id, query.gold, ids) for query, ids in found.hook.intruders]
    return body


def _answered(query: str, gold: Sequence[str], ids: Sequence[str]) -> dict[str, object]:
    return {"id": query, "gold": list(gold), "ids": list(ids)}


def _lines(name: str, found: Score, *, misses: bool) -> list[str]:
    lines = [f"{shown(name)}: {_figures(found.recall)}"]
    kinds = found.recall.as_object()["types"]
    if isinstance(kinds, dict) and len(kinds) > 1:
        each = [f"{shown(kind)} {row[_TYPE_MEASURE]:.3f} ({row['n']})" for kind, row in kinds.items()]
        lines.append(f"  {_TYPE_MEASURE} by type: {', '.join(each)}")
    lines += _replaced(found.recall)
    if found.hook is not None:
        lines.append(f"  as hook: {_figures(found.hook)}")
        lines.append(f"  as hook: R@3 lost {found.lost:.3f}{_unrelated(found.hook)}")
    if misses:
        lines += [
            f"  missed: {query.kind} {shown(query.text)!r} wants {shown(', '.join(query.gold))}, got {_first(ids)}"
            for query, ids in found.recall.missed
        ]
    if misses and found.hook is not None:
        lines += [f"  unrelated: {shown(query.text)!r} got {_first(ids)}" for query, ids in found.hook.intruders]
    return lines


def _figures(tally: Tally) -> str:
    total = tally.as_object().get("all")
    measures = [f"{key} {total[key]:.3f}" for key in _MEASURES] if isinstance(total, dict) else []
    return ", ".join([counted(len(tally.rows), "question"), *measures])


def _replaced(tally: Tally) -> list[str]:
    body = tally.as_object().get("currency")
    if not isinstance(body, dict):
        return []
    first, new, old = body["current_first"], body["current@8"], body["stale@8"]
    return [f"  replaced facts: current first {first:.3f}, current@8 {new:.3f}, stale@8 {old:.3f} ({body['n']})"]


def _unrelated(tally: Tally) -> str:
    body = tally.as_object().get("noise")
    if not isinstance(body, dict):
        return ""
    return (
        f"; of {body['prompts']} unrelated prompts {body['injected_rate']:.1%} got a fact, "
        f"{body['facts_per_prompt']:.3f} facts each"
    )


def _first(ids: Sequence[str]) -> str:
    return shown(", ".join(ids[:3])) or "nothing"
