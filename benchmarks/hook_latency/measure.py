"""The layers of the benchmark: what is deterministic, what valgrind counts, what the clock says."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.hook_latency import counts, inside, store_costs, traces
from benchmarks.hook_latency.cases import END, NO_STORE, REMEMBER, SHORT, Case, Judge, trouble
from benchmarks.hook_latency.gates import Figure
from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.results import Series
from benchmarks.hook_latency.rounds import InvalidRun, interleaved, median_ratio, percentile
from benchmarks.hook_latency.stage import Stage

FIRST_COUNTED = 1_000
FIRST_TIMED = 10_000
WRITTEN_BY_PROMPTS = {"state", "access.log", "hooks.log"}


@dataclass
class Bench:
    """Everything one run of the benchmark needs, and what it has found so far."""

    stages: dict[int, Stage]
    cases: dict[int, dict[str, Case]]
    scratch: Path
    repeats: int
    rounds: int
    figures: list[Figure] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)

    @property
    def largest(self) -> Stage:
        """The stage most figures are taken from."""
        return self.stages[max(self.stages)]

    def case(self, name: str) -> Case:
        """A case of the largest store."""
        return self.cases[self.largest.facts][name]

    def found(self, name: str, value: float, unit: str) -> None:
        """Note one figure."""
        self.figures.append(Figure(name, value, unit))

    def missing(self, name: str, unit: str, reason: str) -> None:
        """Note a figure that could not be measured."""
        self.figures.append(Figure(name, None, unit, reason))

    def empty_program(self) -> Command:
        """E: the empty program, with the environment and the stdin of a hook."""
        case = self.case(SHORT)
        hook = case.command(0, self.scratch, launcher=False)
        return Command(self.largest.empty, hook.env, hook.cwd, hook.stdin)

    def warm_up(self) -> None:
        """Run every case until it does what it is measured for. Raises InvalidRun when one never does."""
        for cases in self.cases.values():
            for case in cases.values():
                samples = [run(case.command(n, self.scratch, launcher=True)) for n in range(case.warm_ups)]
                case.check(samples[-1])


def size(facts: int) -> str:
    """A number of facts as the figures' names write it."""
    return f"{facts // 1000}k" if facts >= 1000 and facts % 1000 == 0 else str(facts)


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
            repeats = 1 if name == END else bench.repeats
            numbers = range(FIRST_COUNTED, FIRST_COUNTED + repeats)
            commands = [case.command(number, bench.scratch, launcher=False) for number in numbers]
            counted = counts.median_instructions(commands, Judge(case))
            bench.found(f"instructions: {name}, {size(facts)}", counted / empty, "E")
            bench.series.append(Series(f"{name} {size(facts)} instructions", "integer", [counted]))
            if name == SHORT:
                short[facts] = counted
    if len(short) > 1:
        least, most = min(short), max(short)
        name = f"instructions: {SHORT}, {size(most)} over {size(least)}"
        bench.found(name, short[most] / short[least], "x")


def observe(bench: Bench) -> None:
    """What does not vary: system calls, syncs, files written, memory peak, index entries in reach."""
    _trace_calls(bench)
    command = bench.case(SHORT).command(FIRST_COUNTED + 500, bench.scratch, launcher=False)
    own, sample = inside.hook(command)
    bench.case(SHORT).check(sample)
    empty = inside.empty(command)
    name = f"memory peak: {SHORT}, {size(bench.largest.facts)}"
    bench.found("memory peak: E", empty.peak_kib, "KiB")
    bench.found(name, own.peak_kib / empty.peak_kib, "E")
    bench.series.append(Series(f"{SHORT} memory peak", "byte", [own.peak_kib * 1024]))


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
    data_dir = bench.largest.data_dir
    written = prompt.written_below(data_dir)
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


def time_rounds(bench: Bench) -> None:
    """Wall and CPU time through the launcher, every case of the largest store once per round, ratios pair by pair.

    Session end is left out: the work it leaves behind would run beside the cases that follow.
    """
    empty = bench.empty_program()
    sources: dict[str, Callable[[int], Command]] = {"E": lambda _: empty}
    checks: dict[str, Callable[[Sample], None]] = {"E": _ended_well}
    facts = bench.largest.facts
    for name, case in bench.cases[facts].items():
        if name != END:
            label = name if name == NO_STORE else f"{name}, {size(facts)}"
            sources[label] = _numbered(case, bench.scratch)
            checks[label] = case.check
    before = trouble(bench.largest)
    floor = store_costs.SyncFloor(bench.largest.data_dir.parent)
    try:
        samples = interleaved(sources, bench.rounds, lambda name, sample: checks[name](sample), floor.measure)
    finally:
        floor.close()
    bench.found("timed runs cut short or failed", trouble(bench.largest) - before, "runs")
    _report_times(bench, samples, floor.seconds)


def _numbered(case: Case, scratch: Path) -> Callable[[int], Command]:
    return lambda number: case.command(FIRST_TIMED + number, scratch, launcher=True)


def _ended_well(sample: Sample) -> None:
    if sample.status != 0 or sample.stdout:
        raise InvalidRun("the empty program failed")


def _report_times(bench: Bench, samples: dict[str, list[Sample]], floor: list[float]) -> None:
    walls = {name: [sample.wall_s for sample in taken] for name, taken in samples.items()}
    processors = {name: [sample.cpu_s for sample in taken] for name, taken in samples.items()}
    bench.found("wall p50: E", statistics.median(walls["E"]) * 1e3, "ms")
    bench.found("wall p99: E", percentile(walls["E"], 0.99) * 1e3, "ms")
    bench.found("sync floor p50", statistics.median(floor) * 1e3, "ms")
    for name in sorted(samples.keys() - {"E"}):
        bench.found(f"wall p50: {name}", median_ratio(walls[name], walls["E"]), "E")
        tail = percentile(walls[name], 0.99) / percentile(walls["E"], 0.99)
        bench.found(f"wall p99: {name}", tail, "E p99")
        bench.found(f"cpu p50: {name}", median_ratio(processors[name], processors["E"]), "E")
    for name, taken in walls.items():
        bench.series.append(Series(f"{name} wall", "second", taken))
        bench.series.append(Series(f"{name} cpu", "second", processors[name]))
    saves = f"{REMEMBER}, {size(bench.largest.facts)}"
    without = [wall - waited for wall, waited in zip(walls[saves], floor, strict=True)]
    bench.found(f"wall p50: {saves}, less the sync floor", median_ratio(without, walls["E"]), "E")


def time_store(bench: Bench) -> None:
    """What one fact costs inside a process: its analysis and checks, its transaction without a sync."""
    bench.found("analysis and checks of one fact", store_costs.analysis_seconds() * 1e6, "us")
    reason = store_costs.no_memory_folder()
    if reason:
        bench.missing("store transaction of one fact, no sync", "us", reason)
    else:
        bench.found("store transaction of one fact, no sync", store_costs.transaction_seconds() * 1e6, "us")
