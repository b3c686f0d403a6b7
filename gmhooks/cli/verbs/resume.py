"""`graymatter resume`: undo `pause` and `memory off`."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, WRITABLE, Fault
from gmhooks.cli.out import Out
from gmhooks.cli.place import locate
from gmhooks.cli.switch import switch_on


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Switch memory on."""
    data_dir = locate(args).data_dir
    try:
        changed = switch_on(data_dir)
    except OSError as error:
        raise Fault("io_error", f"memory could not be resumed ({error.strerror})", where=data_dir, then=WRITABLE) from None
    out.confirm({"paused": False, "changed": changed}, ["Memory is on." if changed else "Memory was not paused."])
    return DONE
