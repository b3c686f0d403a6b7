"""`graymatter import FILE`: enter exported facts, all or none."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.memory.transfer import Malformed

_LISTED = 20


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("file", metavar="FILE", help="a file that export wrote; - reads standard input")
    parser.add_argument("--dry-run", action="store_true", help="check the file, count, and change nothing")


def run(args: argparse.Namespace, out: Out) -> int:
    """Read the lines and enter them in one transaction."""
    memory = memory_of(locate(args))
    try:
        done = memory.import_lines(_lines(args.file), dry_run=args.dry_run)
    except Malformed as error:
        raise _refusal(error, args.file) from None
    payload = {
        "file": args.file,
        "dry_run": args.dry_run,
        "changed": done.changed and not args.dry_run,
        "added": done.added,
        "updated": done.updated,
        "unchanged": done.unchanged,
        "duplicates": done.duplicates,
    }
    verb = "Would import" if args.dry_run else "Imported"
    counts = f"{done.updated} updated, {done.unchanged} unchanged, {done.duplicates} remembered already"
    out.confirm(payload, [f"{verb} {counted(done.added, 'fact')}; {counts}."])
    return DONE


def _lines(name: str) -> Iterator[bytes]:
    if not name:
        raise UsageFault("the file's name is empty")
    if name == "-":
        yield from sys.stdin.buffer if sys.stdin is not None else ()
        return
    try:
        with open(name, "rb") as file:
            yield from file
    except OSError as error:
        raise Fault("io_error", f"the file cannot be read ({error.strerror})", where=name) from None


def _refusal(error: Malformed, name: str) -> Fault:
    reasons = [f"line {number}: {reason}" for number, reason in error.problems[:_LISTED]]
    more = len(error.problems) - len(reasons)
    told = "; ".join(map(shown, reasons)) + (f"; and {more} more" if more else "")
    fault = Fault("malformed", f"nothing was imported: {told}", where=name, then="correct or remove these lines")
    fault.details["problems"] = [{"line": number, "reason": reason} for number, reason in error.problems]
    return fault
