"""What does not depend on the clock: instructions, system calls, files, memory, modules, postings read."""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.hook_latency import counts, inside, reads, traces
from benchmarks.hook_latency.cases import COMMON, END, LONG, REMEMBER, SHORT, Case, Judge
from benchmarks.hook_latency.gates import SIZES, size
from benchmarks.hook_latency.process import Command, run
from benchmarks.hook_latency.results import Cell, Figure, Report, Series
from benchmarks.hook_latency.rivals import Rival
from benchmarks.hook_latency.stage import Stage
from tests.budget.modules import NEVER_IN_A_HOOK

FIRST_COUNTED = 1_000
# Stores of two sizes are asked about different facts, so the ratio between them is one of medians over so many prompts.
COMPARED = 5
WRITTEN_BY_PROMPTS = {"state", "access.log", "hooks.log"}
INSTRUCTIONS, MEMORY, POSTINGS = "instructions", "memory peak", "postings read"


@dataclass
class Bench:
    """Everything one run of the benchmark needs, and what it has found so far."""

    stages: dict[int, Stage]
    cases: dict[int, dict[str, Case]]
    scratch: Path
    repeats: int
    rounds: int
    rivals: dict[int, list[Rival]] = field(default_factory=dict)
    report: Report = field(default_factory=Report)
    series: list[Series] = field(default_factory=list)
    transactions: list[float] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        """What was found so far, figure by figure."""
        return self.report.figures

    @property
    def main(self) -> Stage:
        """The stage most figures are taken from: 10,000 facts, or else the largest."""
        return self.stages.get(SIZES[1]) or self.stages[max(self.stages)]

    def case(self, name: str) -> Case:
        """A case of the main stage."""
        return self.cases[self.main.facts][name]

    def found(self, name: str, value: float, unit: str) -> None:
        """Note one figure."""
        self.figures.append(Figure(name, value, unit))

    def missing(self, name: str, unit: str, reason: str) -> None:
        """Note a figure that could not be measured."""
        self.figures.append(Figure(name, None, unit, reason))

    def cell(self, table: str, name: str, facts: int, value: float) -> None:
        """Note one value of a table."""
        self.report.cells.append(Cell(table, name, facts, value))

    def empty_program(self) -> Command:
        """E: the empty program, with the environment and the stdin of a hook."""
        case = self.case(SHORT)
        hook = case.command(0, self.scratch, launcher=False)
        return Command(self.main.empty, hook.env, hook.cwd, hook.stdin)

    def warm_up(self) -> None:
        """Run every case until it does what it is measured for. Raises InvalidRun when one never does."""
        for cases in self.cases.values():
            for case in cases.values():
                samples = [run(case.command(n, self.scratch, launcher=True)) for n in range(case.warm_ups)]
                case.check(samples[-1])


def count_instructions(bench: Bench) -> None:
    """Instructions of every case and store size, as ratios to E."""
    reason = counts.absent()
    if reason:
        for facts, cases in bench.cases.items():
            for name in cases:
                bench.missing(f"instructions: {name}, {size(facts)}", "E", reason)
        return
    empty = counts.median_instructions([bench.empty_program()] * 3, lambda _: None)
    bench.found("instructions: E", empty / 1e6, "M")
    bench.series.append(Series("E instructions", "integer", [empty]))
    short: dict[int, float] = {}
    for facts, cases in sorted(bench.cases.items()):
        for name, case in cases.items():
            repeats = {END: 1, SHORT: max(bench.repeats, COMPARED)}.get(name, bench.repeats)
            numbers = range(FIRST_COUNTED, FIRST_COUNTED + repeats)
            commands = [case.command(number, bench.scratch, launcher=False) for number in numbers]
            counted = counts.median_instructions(commands, Judge(case))
            bench.found(f"instructions: {name}, {size(case.stage.facts)}", counted / empty, "E")
            bench.cell(INSTRUCTIONS, name, case.stage.facts, counted / empty)
            bench.series.append(Series(f"{name} {size(case.stage.facts)} instructions", "integer", [counted]))
            if name == SHORT:
                short[facts] = counted
    sizes = sorted(short)
    for least, most in itertools.pairwise(sizes):
        name = f"instructions: {SHORT}, {size(most)} over {size(least)}"
        bench.found(name, short[most] / short[least], "x")


def observe(bench: Bench) -> None:
    """System calls, syncs, files written, memory peak, modules, postings read."""
    _trace_calls(bench)
    command = bench.case(SHORT).command(FIRST_COUNTED + 500, bench.scratch, launcher=False)
    empty = inside.empty(command)
    bench.found("memory peak: E", empty.peak_kib, "KiB")
    for facts in sorted(bench.stages):
        for name in (SHORT, COMMON, LONG):
            case = bench.cases[facts][name]
            own, sample = inside.hook(case.command(FIRST_COUNTED + 500, bench.scratch, launcher=False))
            case.check(sample)
            bench.cell(MEMORY, name, facts, own.peak_kib / empty.peak_kib)
            bench.cell(POSTINGS, name, facts, statistics.median(reads.postings(case, range(20))))
            if name == SHORT and facts == bench.main.facts:
                bench.found(f"memory peak: {SHORT}, {size(facts)}", own.peak_kib / empty.peak_kib, "E")
                bench.series.append(Series(f"{SHORT} memory peak", "byte", [own.peak_kib * 1024]))
                strange = own.modules & NEVER_IN_A_HOOK
                bench.found("prompt: modules loaded that no hook may load", len(strange), "modules")


def _trace_calls(bench: Bench) -> None:
    names = ("prompt: files written beside state and logs", "remember: fdatasync calls")
    more = ("remember: other sync calls", "remember: O_DSYNC writes")
    reason = traces.absent()
    if reason:
        for name in (*names, *more):
            bench.missing(name, "calls", reason)
        return
    empty = traces.trace(bench.empty_program())[0].total
    prompt = _traced(bench, SHORT)
    save = _traced(bench, REMEMBER)
    written = prompt.written_below(bench.main.data_dir)
    bench.found("prompt: system calls over E", prompt.total - empty, "calls")
    bench.found("prompt: bytes written to the data directory", sum(written.values()), "bytes")
    bench.found(names[0], len(set(written) - WRITTEN_BY_PROMPTS), "files")
    bench.found(names[1], save.syncs["fdatasync"], "calls")
    bench.found(more[0], sum(save.syncs.values()) - save.syncs["fdatasync"], "calls")
    bench.found(more[1], save.synchronous_writes, "calls")


def _traced(bench: Bench, name: str) -> traces.Trace:
    case = bench.case(name)
    trace, sample = traces.trace(case.command(FIRST_COUNTED + 600, bench.scratch, launcher=False))
    case.check(sample)
    return trace
