"""`graymatter uninstall`: take out of people's files what our commands put there; or only say what is left."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from gmhooks.cli.difference import difference, safe_lines
from gmhooks.cli.errors import DONE, REFUSED, complain
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.cli.program import runnable
from gmhooks.cli.setup import named_clients, where_of
from gmhooks.init.removal import ABSENT, FAILED, PRESENT, PRESERVED, REMOVED, STUCK, UNWRITABLE, Leftover, remove_all
from gmhooks.memory.places import obstacle

_WORDS = {
    REMOVED: "removed",
    PRESENT: "is there",
    PRESERVED: "edited by hand, kept",
    STUCK: "is there, and cannot be removed as it is ({})",
}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--check", action="store_true", help="change nothing, list what is left; exit 1 if anything is")
    parser.add_argument("--only", metavar="CLIENTS", help="only what belongs to these clients")
    parser.add_argument("--global", dest="everywhere", action="store_true", help="also what serves all your projects")
    parser.add_argument("--force", action="store_true", help="also what was edited by hand")
    parser.add_argument("--dry-run", action="store_true", help="show the differences and do nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Remove, or look."""
    route = locate(args)
    clients = named_clients(args.only)
    where = where_of(route, route.data_dir if args.dir is not None else None)
    look = args.check or args.dry_run

    def removed(*, dry_run: bool, everywhere: bool = args.everywhere) -> list[Leftover]:
        named = bool(args.only)
        return remove_all(where, clients, everywhere=everywhere, named=named, force=args.force, dry_run=dry_run)

    planned = removed(dry_run=True)
    if args.check:
        planned = [replace(each, status=STUCK) if each.error_code in UNWRITABLE else each for each in planned]
    blocked = any(each.status == FAILED for each in planned)
    found = planned
    if not look and not blocked:
        found = removed(dry_run=False)
    there = [each for each in found if each.status != ABSENT]
    seen = {(each.id, each.path) for each in there}
    wider = [] if args.everywhere else removed(dry_run=True, everywhere=True)
    wider = [each for each in wider if each.status not in (ABSENT, FAILED) and (each.id, each.path) not in seen]
    changed, left = (sum(each.status == REMOVED for each in there), sum(each.status != REMOVED for each in there))
    payload = {
        "status": "failed" if blocked else "checked" if look else _outcome(changed, left),
        "changed": changed > 0,
        "left": left,
        "actions": [each.to_json() for each in there],
        "for_all_projects": [each.to_json() for each in wider],
        "data_dir": route.data_dir,
    }
    out.answer(payload, _lines(there, args, look=look, blocked=blocked, data_dir=route.data_dir, quiet=out.quiet))
    if wider:
        paths = ", ".join(dict.fromkeys(shown(each.path) for each in wider))
        stays = f"Note: what serves all your projects stays in {paths}; graymatter uninstall --global takes it out."
        out.note(runnable(stays))
    for message in dict.fromkeys(each.message for each in there if each.status == FAILED):
        complain(f"graymatter: {shown(message)}")
    return REFUSED if blocked or (args.check and there) else DONE


def _outcome(changed: int, left: int) -> str:
    """What became of everything that was found."""
    if changed:
        return "partial" if left else "removed"
    return "preserved" if left else "absent"


def _lines(
    there: list[Leftover], args: argparse.Namespace, *, look: bool, blocked: bool, data_dir: str, quiet: bool
) -> list[str]:
    if quiet and not args.check:
        return []
    lines = []
    for each in there:
        if each.status == FAILED:
            continue
        lines.append(f"{shown(each.path)}: {each.id} {_WORDS[each.status].format(each.error_code)}")
        if args.dry_run and not blocked:
            lines += safe_lines(each.diff) if each.diff else difference(each.before, each.after, each.path)
    if blocked:
        return [*lines, "Nothing was written."]
    if look:
        return [*lines, f"{counted(len(there), 'thing')} of ours in files of yours."]
    if not there:
        lines.append("Nothing of ours is in files of yours.")
    found = obstacle(data_dir)
    if found is not None:
        lines.append(f"{shown(data_dir)} is left as it is: {found[1]}")
    elif os.path.lexists(data_dir):
        lines.append(f"The facts are kept in {shown(data_dir)}; delete that folder if you want them gone.")
    return lines
