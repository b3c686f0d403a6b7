"""`graymatter pause [DURATION]`: keep the hooks of this project silent for a while."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, WRITABLE, Fault, UsageFault
from gmhooks.cli.out import Out
from gmhooks.cli.place import locate
from gmhooks.cli.switch import seconds_of, switch_off
from gmhooks.memory.access import require_prepared
from gmhooks.memory.clock import clock_us
from gmhooks.recall.receipt import written_at


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the duration."""
    parser.add_argument("duration", nargs="?", metavar="DURATION", help="30m, 2h, 1d (default: until resume)")


def run(args: argparse.Namespace, out: Out) -> int:
    """Switch memory off."""
    until = None
    if args.duration is not None:
        try:
            until = clock_us() + seconds_of(args.duration) * 1_000_000
        except ValueError as error:
            raise UsageFault(str(error), then="for example graymatter pause 2h") from None
    data_dir = locate(args).data_dir
    require_prepared(data_dir)
    try:
        switch_off(data_dir, until)
    except OSError as error:
        raise Fault("io_error", f"memory could not be paused ({error.strerror})", where=data_dir, then=WRITABLE) from None
    ends = None if until is None else written_at(until // 1_000_000 * 1_000_000)
    out.confirm(
        {"paused": True, "until": ends},
        [f"Memory is off{'' if ends is None else f' until {ends[:16]}Z'}. Turn it on again: graymatter resume"],
    )
    return DONE
