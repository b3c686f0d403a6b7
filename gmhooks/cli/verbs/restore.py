"""`graymatter restore [FILE]`: bring a backup back; the store that counted until now is kept."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.errors import DONE, Fault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.memory.access import require_room
from gmhooks.memory.clock import clock_us
from gmhooks.memory.places import user_dir
from gmhooks.store.backup import listed_files, restore
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.trust import registered


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a file that graymatter backup made (default: the newest)")


def run(args: argparse.Namespace, out: Out) -> int:
    """Verify the copy and put it in the store's place."""
    folder = locate(args).data_dir
    require_room(folder)
    source = os.path.abspath(args.file) if args.file else next(iter(listed_files(folder)), "")
    if not source:
        raise Fault("not_found", "there is no backup yet", where=folder, then="graymatter backup makes one")
    if not os.path.lexists(source):
        raise Fault("not_found", "there is no such backup", where=source, then="graymatter backup --list names them")
    try:
        done = restore(folder, source, registered(user_dir(os.environ), folder), clock_us() / 1e6)
    except StoreDamaged as error:
        raise Fault(error.code, str(error), then="graymatter backup --list names the backups there are") from None
    payload = {"status": "restored", "source": done.source, "facts": done.facts, "kept": done.kept}
    kept = f" What was there before is kept as {shown(done.kept)}." if done.kept else ""
    out.confirm(payload, [f"Restored {counted(done.facts, 'fact')} from {shown(done.source)}.{kept}"])
    return DONE
