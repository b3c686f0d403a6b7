"""Runs the checks of the promises and prints the table: `python -m tests.faults [--full] [--only P1 P5]`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.ground import Ground, say
from tests.faults.outcome import Outcome
from tests.faults.promises import CHECKS, Check
from tests.installed import Program, build


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 every promise held, 1 one did not, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole run: an hour or two on an idle machine")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="promises (P5) or checks (corrupt.damage)"
    )
    parser.add_argument("--program", type=Path, metavar="PREFIX", help="an environment gmhooks is installed in")
    args = parser.parse_args(argv)
    chosen = [
        (promise, check)
        for promise, checks in CHECKS.items()
        for check in checks
        if not args.only or check.name in args.only or set(promise.split()) & set(args.only)
    ]
    if not chosen:
        parser.error(f"no such promise or check; there are {', '.join(CHECKS)}")
    with tempfile.TemporaryDirectory(prefix="gm-faults-") as scratch:
        program = Program(args.program.resolve()) if args.program else build(Path(scratch, "program"))
        rows = [
            (promise, check, *run(check, check.full if args.full else check.quick, program))
            for promise, check in chosen
        ]
    sys.stdout.write("\n".join(_table(rows)) + "\n")
    return 1 if any(outcome.failures for _, _, outcome, _ in rows) else 0


def run(check: Check, size: int, program: Program) -> tuple[Outcome, float]:
    """One check on fresh ground, and how long it took in seconds."""
    say(f"{check.name} {size:,} …")
    base = Path(tempfile.mkdtemp(prefix="gm-ground-")).resolve()
    began = time.monotonic()
    try:
        outcome = check.run(Ground(program, base), size)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for line in outcome.lines():
        say(f"  {line}")
    return outcome, time.monotonic() - began


def _table(rows: list[tuple[str, Check, Outcome, float]]) -> list[str]:
    lines = ["| promise | check | figures | s | held |", "| --- | --- | --- | --- | --- |"]
    for promise, check, outcome, seconds in rows:
        figures = next(iter(outcome.lines()))
        held = "not run" if outcome.not_run else ("no" if outcome.failures else "yes")
        lines.append(f"| {promise} | {check.name} | {figures} | {seconds:.0f} | {held} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
