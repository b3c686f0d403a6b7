"""Runs the checks of the promises and prints the table: `python -m tests.faults [--full] [--only P1 P5] [--out FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.ground import say
from tests.faults.promises import CHECKS
from tests.faults.run import run, split
from tests.faults.table import Results, read, rows, surroundings, written
from tests.installed import Program, build


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 every promise held, 1 one did not, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole run: over half an hour on two idle processors")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="promises (P5) or checks (corrupt.damage)"
    )
    parser.add_argument("--share", type=float, default=1.0, metavar="X", help="this share of every size, such as 0.02")
    parser.add_argument("--program", type=Path, metavar="PREFIX", help="an environment gmhooks is installed in")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write each part's result to FILE as it ends")
    parser.add_argument("--resume", action="store_true", help="leave out the parts that FILE has")
    args = parser.parse_args(argv)
    checks = [
        (promise, check)
        for promise, several in CHECKS.items()
        for check in several
        if not args.only or check.name in args.only or set(promise.split()) & set(args.only)
    ]
    if not checks:
        parser.error(f"no such promise or check; there are {', '.join(CHECKS)}")
    if args.resume and not args.out:
        parser.error("--resume continues the file that --out names")
    with tempfile.TemporaryDirectory(prefix="gm-faults-") as scratch:
        program = Program(args.program.resolve()) if args.program else build(Path(scratch, "program"))
        results = Results(surroundings(program), {})
        if args.resume and args.out.exists():
            before = read(args.out)
            if before.about != results.about:
                parser.error(f"{args.out} was written by another program or machine: {before.about}")
            results.done.update(before.done)
        parts = [part for _, check in checks for part in split(check, args.full, args.share)]
        with _kept(args.out, results) as keep:
            for part, outcome, seconds in run(parts, set(results.done), program):
                results.done[part] = (outcome, seconds)
                keep(written(part, outcome, seconds))
                say(f"{part.check} {part.part}: {seconds:.0f} s")
                for line in outcome.lines():
                    say(f"  {line}")
    sys.stdout.write("\n".join(rows(results)) + "\n")
    return 1 if any(outcome.failures for outcome, _ in results.done.values()) else 0


@contextmanager
def _kept(path: Path | None, results: Results) -> Iterator[Callable[[str], None]]:
    """Where to put the line of a part that ended; a file begins anew with the surroundings and the parts that are known."""
    if path is None:
        yield lambda line: None
        return
    with open(path, "w", encoding="utf-8") as file:

        def keep(line: str) -> None:
            file.write(line)
            file.flush()

        keep(json.dumps({"about": results.about}) + "\n")
        for part, (outcome, seconds) in results.done.items():
            keep(written(part, outcome, seconds))
        yield keep


if __name__ == "__main__":
    sys.exit(main())
