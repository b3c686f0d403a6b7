"""`graymatter backup`: make a verified copy of the store, or list the copies."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.memory.access import require_usable
from gmhooks.memory.clock import clock_us
from gmhooks.memory.places import user_dir
from gmhooks.store.backup import listed_files, make


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--list", action="store_true", help="list the backups, newest first, and make none")


def run(args: argparse.Namespace, out: Out) -> int:
    """Copy, verify, name."""
    folder = locate(args).data_dir
    require_usable(folder, user_dir(os.environ))
    if args.list:
        paths = listed_files(folder)
        out.answer({"store": folder, "backups": paths}, [shown(path) for path in paths])
        return DONE
    made = make(folder, clock_us() / 1e6)
    payload = {"status": "saved", "path": made.path, "facts": made.facts, "bytes": made.size}
    out.confirm(payload, [f"Backed up {counted(made.facts, 'fact')} to {shown(made.path)}"])
    return DONE
