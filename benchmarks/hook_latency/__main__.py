"""`python -m benchmarks.hook_latency`: install, fill, measure, print the table; `--gate` judges it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.hook_latency import gates, measure, results
from benchmarks.hook_latency.cases import SHORT, every_case, without_store
from benchmarks.hook_latency.corpus import Corpus
from benchmarks.hook_latency.rounds import InvalidRun
from benchmarks.hook_latency.stage import StageError, build, installed_copy, installed_venv

FULL = {"repeats": 5, "rounds": 400}
QUICK = {"repeats": 1, "rounds": 40}


def main(argv: list[str] | None = None) -> int:
    """Run the benchmark; 0 done, 1 a must failed (with --gate), 3 it could not be measured."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.gate and not {1_000, 10_000} <= set(options.facts):
        parser.error("--gate judges stores of 1000 and 10000 facts; --facts must name both")
    try:
        with tempfile.TemporaryDirectory(prefix="gmhooks-bench-") as folder:
            bench = prepare(Path(folder), options)
            _measure(bench, options)
    except (InvalidRun, StageError) as error:
        print(f"hook_latency: {error}", file=sys.stderr)
        return 3
    print(f"Python {platform.python_version()}, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
    print(gates.table(bench.figures))
    if options.json:
        results.save(options.json, bench.series, {"python_version": platform.python_version()})
    failures = gates.failed(bench.figures) if options.gate else []
    if failures:
        print(f"{len(failures)} must(s) do not hold: {', '.join(figure.name for figure in failures)}")
    return 1 if failures else 0


def prepare(root: Path, options: argparse.Namespace) -> measure.Bench:
    """Install, wire and fill one project per store size, then run every case until it is warm."""
    program = installed_venv(root) if options.install else installed_copy(root)
    stages = {facts: build(root, program, f"project-{facts}", facts) for facts in options.facts}
    scratch, bare = root / "payloads", root / "bare"
    scratch.mkdir()
    bare.mkdir()
    transcript = scratch / "transcript.jsonl"
    transcript.write_bytes(Corpus(seed=3).transcript())
    cases = {
        facts: {case.name: case for case in every_case(stage, Corpus(seed=4), transcript)}
        for facts, stage in stages.items()
    }
    largest = max(stages)
    sample = cases[largest][SHORT].payload(0)["prompt"]
    bare_case = without_store(stages[largest], bare, str(sample))
    cases[largest][bare_case.name] = bare_case
    numbers = QUICK if options.quick else FULL
    bench = measure.Bench(stages, cases, scratch, numbers["repeats"], options.rounds or numbers["rounds"])
    bench.warm_up()
    return bench


def _measure(bench: measure.Bench, options: argparse.Namespace) -> None:
    if not options.wall:
        measure.count_instructions(bench)
        measure.observe(bench)
    if not options.instructions_only:
        measure.time_rounds(bench)
        measure.time_store(bench)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hook_latency", description=__doc__)
    parser.add_argument("--gate", action="store_true", help="exit 1 when a measured must does not hold")
    parser.add_argument("--quick", action="store_true", help="one prompt per kind, 40 rounds")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 400; 40 with --quick)")
    parser.add_argument("--facts", type=int, nargs="+", default=[1_000, 10_000], help="store sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the values as a pyperf suite")
    parser.add_argument("--install", action="store_true", help="install with pip into a new venv first")
    layer = parser.add_mutually_exclusive_group()
    layer.add_argument("--instructions-only", action="store_true", help="nothing a clock measures")
    layer.add_argument("--wall", action="store_true", help="only what a clock measures")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
