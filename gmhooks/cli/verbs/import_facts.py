"""`graymatter import FILE`: enter exported facts, all or none; or what is new in the lists of Markdown files."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from shlex import quote

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.options import check_owner
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.context.claudecode import config_dir, notes_folder
from gmhooks.context.notes import enter, notes, read_text, sources
from gmhooks.memory.clock import clock_us
from gmhooks.memory.errors import NotFound
from gmhooks.memory.places import user_dir
from gmhooks.memory.transfer import Malformed
from gmhooks.store.namespaces import SHARED

FORMATS = ("jsonl", "markdown")
_LISTED = 20
_READABLE = "name a file that is there and that you may read"


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a file that export wrote; - reads standard input")
    parser.add_argument("--format", choices=FORMATS, help="markdown: list items of a file, or of a directory's .md files")
    parser.add_argument("--claude", action="store_true", help="take what Claude Code noted on this project")
    parser.add_argument("--agent", metavar="ID", help="whose facts they become (markdown; default: this project's)")
    adopt = "facts of OLD become this project's, as by graymatter adopt; may be repeated"
    parser.add_argument("--adopt", action="append", default=[], metavar="OLD", help=adopt)
    parser.add_argument("--dry-run", action="store_true", help="check the file, count, and change nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Read the lines and enter them in one transaction."""
    if args.claude != (args.file is None):
        raise UsageFault("name one FILE, or --claude", then="see graymatter import --help")
    if args.claude or args.format == "markdown" or (args.format is None and _is_notes(args.file)):
        if args.adopt:
            raise UsageFault("--adopt is for exported facts; notes have no agent", then="leave it out, or use --agent")
        return _take_notes(args, out)
    if args.agent is not None:
        raise UsageFault("exported facts keep their agents", then="leave --agent out; --adopt OLD makes them this project's")
    route = locate(args)
    memory = memory_of(route)
    try:
        renamed = dict.fromkeys(args.adopt, route.agent_id)
        done = memory.import_lines(_lines(args.file), renamed=renamed, dry_run=args.dry_run)
    except Malformed as error:
        raise _refusal(error, args.file, route.agent_id) from None
    except NotFound as error:
        raise Fault("not_found", str(error), where=args.file, then="name one of these with --adopt") from None
    payload = {
        "file": args.file,
        "dry_run": args.dry_run,
        "changed": done.changed and not args.dry_run,
        "added": done.added,
        "updated": done.updated,
        "unchanged": done.unchanged,
        "duplicates": done.duplicates,
        "added_under": done.added_under,
    }
    verb = "Would import" if args.dry_run else "Imported"
    counts = f"{done.updated} updated, {done.unchanged} unchanged, {done.duplicates} remembered already"
    under = [f"Under {shown(owner)}: {counted(count, 'fact')}" for owner, count in done.added_under.items()]
    out.confirm(payload, [f"{verb} {counted(done.added, 'fact')}; {counts}.", *under])
    for owner in done.added_under:
        if owner not in (route.agent_id, SHARED) and memory.list(owner, limit=1):
            own = f"This project is {route.agent_id}. To make the facts of {owner} its own"
            out.note(f"{own}: graymatter adopt {quote(owner)}")
    return DONE


def _is_notes(name: str) -> bool:
    return name.lower().endswith(".md") or os.path.isdir(name)


def _take_notes(args: argparse.Namespace, out: Out) -> int:
    """Enter the list items that are new; what is refused is named by line and rule and does not stop the rest."""
    route = locate(args)
    owner = route.agent_id if args.agent is None else check_owner(args.agent)
    place = args.file
    if args.claude:
        place = notes_folder(route.root, config_dir(os.environ))
    try:
        found = [note for path in sources(place) for note in notes(path, _text(path))]
    except OSError as error:
        raise Fault("io_error", f"the notes cannot be read ({error.strerror})", where=place, then=_READABLE) from None
    now = clock_us()
    taken = enter(route.data_dir, user_dir(os.environ), owner, found, now, dry_run=args.dry_run)
    payload = {
        "file": place,
        "agent_id": owner,
        "dry_run": args.dry_run,
        "changed": taken.added > 0 and not args.dry_run,
        "added": taken.added,
        "duplicates": taken.duplicates,
        "refused": [{"file": note.path, "line": note.line, "reason": code} for note, code in taken.refused],
    }
    verb = "Would import" if args.dry_run else "Imported"
    out.confirm(payload, [f"{verb} {counted(taken.added, 'fact')}; {taken.duplicates} remembered already."])
    for note, code in taken.refused:
        out.note(f"Not imported: {note.path}, line {note.line}: {code}")
    return DONE


def _text(path: str) -> str:
    _check_ends(path)
    return read_text(path)


def _check_ends(path: str) -> None:
    """Fault for a device, whose bytes may never end; OSError when nothing is there."""
    mode = os.stat(path).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise Fault("not_regular", "the file is a device", where=path, then="name a file; - reads standard input")


def _lines(name: str) -> Iterator[bytes]:
    if not name:
        raise UsageFault("the file's name is empty")
    if name == "-":
        yield from sys.stdin.buffer if sys.stdin is not None else ()
        return
    try:
        _check_ends(name)
        with open(name, "rb") as file:
            yield from file
    except OSError as error:
        raise Fault("io_error", f"the file cannot be read ({error.strerror})", where=name, then=_READABLE) from None


def _refusal(error: Malformed, name: str, agent_id: str) -> Fault:
    told, then = _told(error), "correct or remove these lines"
    if len(error.moved) == len(error.problems):
        pairs = Counter(error.moved.values())
        here = ", ".join(
            f"{counted(many, 'fact')} of {shown(old)} here already, as {shown(now)}'s" for (old, now), many in pairs.items()
        )
        told = f"only the agent id differs: {here}"
        if {now for _, now in pairs} == {agent_id}:
            then = f"graymatter import {quote(name)} " + " ".join(f"--adopt {quote(old)}" for old, _ in pairs)
    fault = Fault("malformed", f"nothing was imported: {told}", where=name, then=then)
    fault.details["problems"] = [{"line": number, "reason": reason} for number, reason in error.problems]
    return fault


def _told(error: Malformed) -> str:
    reasons = [f"line {number}: {reason}" for number, reason in error.problems[:_LISTED]]
    more = len(error.problems) - len(reasons)
    return "; ".join(map(shown, reasons)) + (f"; and {more} more" if more else "")
