"""`graymatter trust`: look at a store that came from elsewhere and, once confirmed, let sessions use it."""

from __future__ import annotations

import argparse
import os
import sys

from gmhooks.cli.errors import DONE, Fault, complain
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, note_former
from gmhooks.cli.verbs.config import unusual
from gmhooks.hooks.route import Route
from gmhooks.memory.access import require_room
from gmhooks.memory.inspection import Inspection, inspect
from gmhooks.memory.places import user_dir
from gmhooks.store.trust import register, registered


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--yes", action="store_true", help="trust it without asking")


def run(args: argparse.Namespace, out: Out) -> int:
    """Verify a private copy, show its facts, ask, register."""
    route = locate(args)
    require_room(route.data_dir)
    found = inspect(route.data_dir)
    if found.problems:
        raise Fault(
            "store_damaged",
            f"the store is damaged and cannot be trusted: {found.problems[0]}",
            where=route.data_dir,
            then="graymatter repair saves what can be read; or move the folder away, then graymatter init",
        )
    mine = user_dir(os.environ)
    if registered(mine, route.data_dir) == found.store_id:
        _answer(route, found, out, changed=False)
        note_former(route, out)
        return DONE
    if not args.yes:
        _ask(route, found, out)
    register(mine, route.data_dir, found.store_id)
    _answer(route, found, out, changed=True, show=args.yes)
    note_former(route, out)
    return DONE


def _ask(route: Route, found: Inspection, out: Out) -> None:
    """Show every fact and have the person confirm; Fault when nobody is there to ask or the answer is no."""
    if out.as_json or not sys.stdin or not sys.stdin.isatty():
        raise Fault(
            "untrusted",
            "trust needs your word, and nobody can be asked here",
            where=route.data_dir,
            then="run graymatter trust in a terminal; graymatter trust --yes trusts it without a question",
        )
    for line in (*_facts(found), *_settings(route)):
        out.line(line)
    out.flush()
    total = counted(len(found.facts) + len(found.waiting), "fact")
    complain(f"{total}. Sessions in {shown(route.root)} would show them. Trust? [y/N]")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        what = "not trusted; nothing was changed"
        raise Fault("untrusted", what, where=route.data_dir, then="graymatter trust asks again")


def _answer(route: Route, found: Inspection, out: Out, *, changed: bool, show: bool = False) -> None:
    payload = {
        "store": route.data_dir,
        "store_id": found.store_id,
        "trusted": True,
        "changed": changed,
        "facts": [fact.as_object() for fact in (*found.facts, *found.waiting)],
    }
    said = f"Trusted: {shown(route.data_dir)}" if changed else f"Already trusted: {shown(route.data_dir)}"
    out.confirm(payload, [*((*_facts(found), *_settings(route)) if show else ()), said])


def _settings(route: Route) -> list[str]:
    """What its settings file changes, which counts once the store is trusted."""
    changed = unusual(route.data_dir)
    return [f"Settings that come with it: {' '.join(changed)}"] if changed else []


def _facts(found: Inspection) -> list[str]:
    lines = []
    for fact in (*found.facts, *found.waiting):
        marks = " pinned" * fact.pinned + " waiting" * fact.waiting
        lines.append(f"{shown(fact.agent_id)} [{fact.short_id}]{marks} {shown(fact.text)}")
    return lines
