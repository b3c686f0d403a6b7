"""Command line of the corpus loader."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import IO

from tests.corpus.cases import KINDS, CorpusError
from tests.corpus.runner import run_corpus
from tests.corpus.selftest import run_selftest
from tests.installed import PREFIX_VARIABLE, Program, build
from tests.shared_material import SHARED


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 all passed, 1 any failure, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("kind", nargs="?", choices=KINDS)
    parser.add_argument("dir", nargs="?", type=Path, help="a corpus directory; with --self-test alone all of ours")
    parser.add_argument("--only", nargs="+", default=[], metavar="CAT", help="only these categories")
    parser.add_argument("--self-test", action="store_true", help="run planted broken programs: each must fail")
    parser.add_argument("--program", type=Path, metavar="PREFIX", help="an environment gmhooks is installed in")
    args = parser.parse_args(argv)
    if not args.self_test and args.dir is None:
        parser.error("KIND and DIR are needed")
    with tempfile.TemporaryDirectory(prefix="gm-program-") as scratch:
        try:
            return _run(args, _program(args.program, Path(scratch)))
        except CorpusError as error:
            _say(f"error: {error}", sys.stderr)
            return 2


def _run(args: argparse.Namespace, program: Program) -> int:
    if args.self_test:
        places = {args.kind: args.dir} if args.dir else _handed()
        failures = run_selftest(places, program, _say)
        return 1 if failures else 0
    report = run_corpus(args.kind, args.dir, args.only, program)
    for line in report.lines():
        _say(line)
    return 1 if report.failed else 0


def _handed() -> dict[str, Path]:
    if SHARED is None:
        raise CorpusError("--self-test without KIND and DIR needs the shared material (GMHOOKS_SHARED)")
    return {kind: SHARED / "corpora" / kind for kind in KINDS}


def _program(prefix: Path | None, scratch: Path) -> Program:
    named = prefix or (Path(os.environ[PREFIX_VARIABLE]) if PREFIX_VARIABLE in os.environ else None)
    return Program(named.resolve()) if named else build(scratch / "program")


def _say(text: str, stream: IO[str] | None = None) -> None:
    target = stream or sys.stdout
    target.write(text + "\n")
    target.flush()


if __name__ == "__main__":
    sys.exit(main())
