"""`python -m benchmarks.hook_latency`: install, fill, measure, print the tables; `--gate` judges, `--page` writes."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.hook_latency import gates, machine, measure, results, rivals, timing
from benchmarks.hook_latency.cases import SHORT, every_case, without_store
from benchmarks.hook_latency.corpus import Corpus
from benchmarks.hook_latency.page import page
from benchmarks.hook_latency.plot import plot
from benchmarks.hook_latency.rounds import InvalidRun
from benchmarks.hook_latency.stage import StageError, build, installed_copy, installed_venv

FULL = {"repeats": 5, "rounds": 400}
QUICK = {"repeats": 1, "rounds": 40}
PAGE, PLOT, JSON = "benchmarks.md", "benchmarks.svg", "benchmarks.json"


def main(argv: list[str] | None = None) -> int:
    """Run the benchmark; 0 done, 1 a must failed (with --gate), 3 it could not be measured."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.gate and not set(gates.SIZES) <= set(options.facts):
        parser.error("--gate judges stores of 1000, 10000 and 100000 facts; --facts must name them")
    if options.from_json:
        return _redraw(options.from_json, options.page or options.from_json.parent)
    began, load = time.monotonic(), machine.load()
    try:
        with tempfile.TemporaryDirectory(prefix="gmhooks-bench-") as folder:
            bench = prepare(Path(folder), options)
            _measure(bench, options)
    except (InvalidRun, StageError) as error:
        print(f"hook_latency: {error}", file=sys.stderr)
        return 3
    words = shlex.join(sys.argv[1:] if argv is None else argv)
    bench.report.about = {
        "command": f"python -m benchmarks.hook_latency {words}".strip(),
        "date": machine.now(),
        "duration": f"{(time.monotonic() - began) / 60:.0f} minutes, {bench.rounds} rounds",
        "load average": f"{load} before, {machine.load()} after",
        **machine.facts(),
    }
    return _tell(bench, options)


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
    numbers = QUICK if options.quick else FULL
    bench = measure.Bench(stages, cases, scratch, numbers["repeats"], options.rounds or numbers["rounds"])
    sample = bench.case(SHORT).payload(0)["prompt"]
    bare_case = without_store(bench.main, bare, str(sample))
    cases[bench.main.facts][bare_case.name] = bare_case
    if not options.instructions_only:
        bench.rivals = {facts: rivals.prepared(root, program, bench.cases[facts][SHORT]) for facts in stages}
    bench.warm_up()
    return bench


def _measure(bench: measure.Bench, options: argparse.Namespace) -> None:
    if not options.wall:
        measure.count_instructions(bench)
        measure.observe(bench)
    if not options.instructions_only:
        for phase in (timing.time_rounds, timing.time_rivals, timing.time_session_end, timing.time_crowd):
            timing.sample_store(bench)
            phase(bench)
        timing.time_store(bench)


def _tell(bench: measure.Bench, options: argparse.Namespace) -> int:
    report = bench.report
    if options.page:
        _write(report, options.page)
    if options.json:
        version = report.about["Python"].partition(",")[0]
        results.save(options.json, bench.series, {"python_version": version})
    print(page(report, PLOT, JSON))
    print(gates.table([figure for figure in report.figures if figure.name in gates.LIMITS]))
    failures = gates.failed(report.figures) if options.gate else []
    if failures:
        print(f"{len(failures)} must(s) do not hold: {', '.join(figure.name for figure in failures)}")
    return 1 if failures else 0


def _redraw(source: Path, folder: Path) -> int:
    try:
        report = results.loaded(source.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"hook_latency: {source}: {error}", file=sys.stderr)
        return 3
    _draw(report, folder)
    return 0


def _write(report: results.Report, folder: Path) -> None:
    (folder / JSON).write_text(report.dumped(), encoding="utf-8")
    _draw(report, folder)


def _draw(report: results.Report, folder: Path) -> None:
    (folder / PAGE).write_text(page(report, PLOT, JSON), encoding="utf-8")
    (folder / PLOT).write_text(plot(report), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hook_latency", description=__doc__)
    parser.add_argument("--gate", action="store_true", help="exit 1 when a measured must does not hold")
    parser.add_argument("--quick", action="store_true", help="one prompt per kind, 40 rounds")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 400; 40 with --quick)")
    parser.add_argument("--facts", type=int, nargs="+", default=list(gates.SIZES), help="store sizes")
    parser.add_argument("--page", type=Path, metavar="DIR", help=f"write {PAGE}, {PLOT} and {JSON} there")
    parser.add_argument("--from-json", type=Path, metavar="FILE", help="measure nothing; draw page and plot from that file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the values as a pyperf suite")
    parser.add_argument("--install", action="store_true", help="install with pip into a new venv first")
    layer = parser.add_mutually_exclusive_group()
    layer.add_argument("--instructions-only", action="store_true", help="nothing a clock measures")
    layer.add_argument("--wall", action="store_true", help="only what a clock measures")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
