"""`graymatter context-sync`: the most valuable facts, in a managed block of an instruction file."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.difference import difference
from gmhooks.cli.errors import DONE, REFUSED, Fault, UsageFault
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of, require_known
from gmhooks.hooks.route import DIRECTORY, Route
from gmhooks.hooks.worktree import top
from gmhooks.init import publish
from gmhooks.init.context_file import BUDGET, LEAST_BUDGET, check, remove, sync, target
from gmhooks.init.instruct import BlockReport
from gmhooks.init.refusal import Refusal
from gmhooks.memory.access import require_room
from gmhooks.memory.places import user_dir

_WARNINGS = {
    "shadows_agents": "Note: with a CLAUDE.md, Claude Code does not load AGENTS.md (--file AGENTS.md avoids that).",
    "agents_not_loaded": "Note: AGENTS.md is there too, but Claude Code loads only CLAUDE.md, so the block goes there.",
    "hand_edited": "Warning: the block had been edited by hand; what was there is in the backup.",
    "symlink": "Note: the file is a link; the file it leads to was changed.",
    "cleanup_failed": "Warning: the edit is done, but its lock file stayed behind: delete the file's .lock if it is there.",
}
_OUTCOMES = {
    "created": "block written, a new file",
    "updated": "block written",
    "unchanged": "nothing to change",
    "removed": "block removed",
    "absent": "no block of ours there",
}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--file", metavar="FILE", help="the instruction file (default: the one that agents load)")
    parser.add_argument("--agent", metavar="ID", help="only this agent's facts (default: every agent's)")
    parser.add_argument("--budget", type=int, default=BUDGET, metavar="N", help=f"tokens (default {BUDGET})")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--check", action="store_true", help="only say whether the block is there and unedited")
    act.add_argument("--remove", action="store_true", help="take the block out again")
    parser.add_argument("--force", action="store_true", help="also replace or remove a block edited by hand")
    parser.add_argument("--outside", action="store_true", help="write FILE although it lies outside the project")
    parser.add_argument("--dry-run", action="store_true", help="show the change and do nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Carry it out."""
    budget = BUDGET if args.budget <= 0 else args.budget
    if budget < LEAST_BUDGET:
        raise UsageFault(f"a budget of {budget} tokens is too small", then=f"give {LEAST_BUDGET} or more")
    agent_id = None if args.agent is None else check_agent_id(args.agent)
    route = locate(args)
    if agent_id is not None:
        require_known(memory_of(route), agent_id, route, "so its block would be empty", "")
    if args.file == "":
        raise UsageFault("--file is empty", then="name a file or leave --file out")
    path, warnings = (os.path.abspath(args.file), []) if args.file else target(route.root)
    if args.check:
        return _check(path, route, agent_id, budget, out)
    home = user_dir(os.environ)
    if args.remove:
        report = remove(path, home, force=args.force, dry_run=args.dry_run)
        payload: dict[str, object] = {
            "file": path, "outcome": report.outcome, "changed": report.changed,
            "manual_edit_detected": report.edited, "warnings": report.warnings,
        }  # fmt: skip
        lines = [f"{shown(path)}: {_OUTCOMES.get(report.outcome, report.outcome)}"]
    else:
        require_room(route.data_dir)
        _check_place(path, route, outside=args.outside)
        done = sync(
            path, route.data_dir, home, agent_id=agent_id, budget=budget, force=args.force, dry_run=args.dry_run
        )
        done.warnings = warnings + done.warnings
        report, payload = done.block, done.to_json()
        size = f"{counted(done.chosen.selected, 'fact')} of {done.chosen.considered}, {done.chosen.tokens} tokens"
        lines = [f"{shown(path)}: {_OUTCOMES.get(report.outcome, report.outcome)} ({size})"]
    return _told(report, payload, lines, args, out)


def _check_place(path: str, route: Route, *, outside: bool) -> None:
    """Fault for a file whose real place is no place for a block: outside the project unless that is wanted, or inside a
    folder that git or we keep data in."""
    try:
        real = publish.resolve(path)[0]
    except Refusal as refusal:
        raise Fault(refusal.code, refusal.sentence(path)) from None
    roots = [os.path.realpath(route.root), top(os.getcwd())]
    if any(part in (".git", DIRECTORY[1:]) for part in real.split("/")) or _is_below(real, os.path.realpath(route.data_dir)):
        raise Fault("in_data_dir", "the file lies in a data directory", where=path, then="name an instruction file")
    if not outside and not any(root and _is_below(real, root) for root in roots):
        leads = f" (it leads to {real})" if real != path else ""
        raise Fault(
            "outside_project", f"the file lies outside the project{leads}", where=path,
            then="name a file of the project, or add --outside if this one is meant to hold the project's facts",
        )  # fmt: skip


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _told(
    report: BlockReport, payload: dict[str, object], lines: list[str], args: argparse.Namespace, out: Out
) -> int:
    if report.refused:
        fault = Fault(report.reason or "refused", report.message)
        fault.details = payload
        raise fault
    if args.dry_run:
        lines = [f"Would do: {lines[0]}", *difference(report.before, report.after, report.path)]
    out.confirm(payload, lines)
    for code in payload["warnings"] if isinstance(payload["warnings"], list) else []:
        out.note(_WARNINGS[code])
    return DONE


def _check(path: str, route: Route, agent_id: str | None, budget: int, out: Out) -> int:
    try:
        verified, facts, body = check(path)
    except Refusal as refusal:
        raise Fault(refusal.code, refusal.sentence(path)) from None
    wanted = sync(
        path, route.data_dir, user_dir(os.environ), agent_id=agent_id, budget=budget, force=True, dry_run=True
    ).chosen
    current = verified and body == wanted.body
    state = "current" if current else "unedited, but not current" if verified else "edited by hand" if body else "absent"
    payload = {"file": path, "verified": verified, "facts": facts, "current": current}
    out.answer(payload, [f"{shown(path)}: the block is {state} ({counted(facts, 'fact')})"])
    return DONE if verified else REFUSED

