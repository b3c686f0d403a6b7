"""What the clock says: wall and CPU time in interleaved rounds, each beside the empty program of its own round."""

from __future__ import annotations

import ctypes
import os
import statistics
from collections.abc import Callable
from pathlib import Path

from benchmarks.hook_latency import store_costs
from benchmarks.hook_latency.cases import END, NO_STORE, REMEMBER, SHORT, Case, trouble
from benchmarks.hook_latency.concurrency import HOOKS, WRITERS, crowd
from benchmarks.hook_latency.gates import size
from benchmarks.hook_latency.measure import Bench
from benchmarks.hook_latency.process import Sample, run
from benchmarks.hook_latency.results import Series, Timing
from benchmarks.hook_latency.rounds import InvalidRun, Source, interleaved, median_ratio, percentile

FIRST_TIMED = 10_000
FIRST_BESIDE = 100_000
EMPTY, HOOK, RIVAL = "empty", "hook", "rival"
_SUBREAPER = 36  # prctl's PR_SET_CHILD_SUBREAPER

Key = tuple[str, str, int]  # kind, name, facts
Checks = dict[str, Callable[[Sample], None]]


def time_rounds(bench: Bench) -> None:
    """Every case of every store size, through the launcher, once a round. Session end has rounds of its own."""
    keys, sources, checks = _with_empty(bench)
    for cases in bench.cases.values():
        for name, case in cases.items():
            if name != END:
                label = _label(name, case.stage.facts)
                keys[label] = (HOOK, name, case.stage.facts)
                sources[label] = _numbered(case, bench.scratch, FIRST_TIMED)
                checks[label] = case.check
    before = sum(trouble(stage) for stage in bench.stages.values())
    floor = store_costs.SyncFloor(bench.main.data_dir.parent)
    try:
        samples = interleaved(sources, bench.rounds, lambda name, sample: checks[name](sample), floor.measure)
    finally:
        floor.close()
    cut = sum(trouble(stage) for stage in bench.stages.values()) - before
    bench.found("timed runs cut short or failed", max(cut, 0), "runs")
    _keep(bench, keys, samples)
    walls = {name: [sample.wall_s for sample in taken] for name, taken in samples.items()}
    bench.found("wall p50: E", statistics.median(walls["E"]) * 1e3, "ms")
    bench.found("wall p99: E", percentile(walls["E"], 0.99) * 1e3, "ms")
    bench.found("sync floor p50", statistics.median(floor.seconds) * 1e3, "ms")
    for facts in bench.stages:
        label = _label(SHORT, facts)
        bench.found(f"wall p50: {label}", median_ratio(walls[label], walls["E"]), "E")
        bench.found(f"wall p99: {label}", percentile(walls[label], 0.99) / percentile(walls["E"], 0.99), "E p99")
    saves = _label(REMEMBER, bench.main.facts)
    without = [wall - waited for wall, waited in zip(walls[saves], floor.seconds, strict=True)]
    bench.found(f"wall p50: {saves}, less the sync floor", median_ratio(without, walls["E"]), "E")
    over = [own - bare for own, bare in zip(walls[_label(SHORT, bench.main.facts)], walls[NO_STORE], strict=True)]
    bench.found(f"wall p50: {SHORT} over no store, {size(bench.main.facts)}", median_ratio(over, walls["E"]), "E")


def time_rivals(bench: Bench) -> None:
    """Other programs that do the same, and the hook again, in rounds of their own: some take a hundred times as long."""
    keys, sources, checks = _with_empty(bench)
    for facts, rivals in bench.rivals.items():
        case = bench.cases[facts][SHORT]
        label = _label(f"{SHORT}, beside the others", facts)
        keys[label] = (HOOK, f"{SHORT}, beside the others", facts)
        sources[label] = _numbered(case, bench.scratch, FIRST_BESIDE)
        checks[label] = case.check
        for rival in rivals:
            label = _label(rival.name, facts)
            keys[label] = (RIVAL, rival.name, facts)
            sources[label] = lambda number, rival=rival: rival.command(FIRST_BESIDE + number, bench.scratch)  # type: ignore[misc]
            checks[label] = rival.check
    rounds = max(bench.rounds // 10, 5)
    samples = interleaved(sources, rounds, lambda name, sample: checks[name](sample), lambda: None)
    del keys["E"]
    _keep(bench, keys, samples)


def time_session_end(bench: Bench) -> None:
    """Session end beside E. The work it leaves behind is waited for, so that it runs beside nothing that is timed."""
    case, empty = bench.case(END), bench.empty_program()
    if ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0):
        raise InvalidRun("what session end leaves behind cannot be waited for here")
    samples: dict[str, list[Sample]] = {"E": [], END: []}
    for number in range(max(bench.rounds // 10, 5)):
        samples["E"].append(run(empty))
        sample = run(case.command(FIRST_TIMED + number, bench.scratch, launcher=True))
        case.check(sample)
        samples[END].append(sample)
        _wait_for_orphans()
    _keep(bench, {END: (HOOK, END, case.stage.facts)}, samples)


def time_crowd(bench: Bench) -> None:
    """Eight prompts at once beside four writers, against eight empty programs beside the same."""
    prompt, remember = bench.case(SHORT), bench.case(REMEMBER)
    found = crowd(prompt, remember, bench.empty_program(), bench.scratch, max(bench.rounds // 20, 3))
    title = f"{HOOKS} hooks beside {WRITERS} writers"
    bench.found(f"{title}: failures", len(found.failures), "runs")
    bench.found(f"{title}: saves", found.saved, "saves")
    bench.found(f"{title}: saves lost", found.saved - found.stored, "saves")
    hooks, empty = statistics.median(found.hooks), statistics.median(found.empty)
    bench.found(f"{title}: wall p50", hooks / empty, "E at once")
    bench.found(f"{title}: wall p95", percentile(found.hooks, 0.95) / percentile(found.empty, 0.95), "E at once")
    for problem in sorted(set(found.failures)):
        print(f"{title}: {problem}")


def sample_store(bench: Bench) -> None:
    """Time transactions at one moment of the run."""
    if store_costs.no_memory_folder() is None:
        bench.transactions.append(store_costs.transaction_seconds())


def time_store(bench: Bench) -> None:
    """What one fact costs inside a process: its analysis and checks, its transaction without a sync, at the best moment."""
    bench.found("analysis and checks of one fact", store_costs.analysis_seconds() * 1e6, "us")
    reason = store_costs.no_memory_folder()
    if reason:
        bench.missing("store transaction of one fact, no sync", "us", reason)
    else:
        sample_store(bench)
        bench.found("store transaction of one fact, no sync", min(bench.transactions) * 1e6, "us")


def _with_empty(bench: Bench) -> tuple[dict[str, Key], dict[str, Source], Checks]:
    empty = bench.empty_program()
    return {"E": (EMPTY, "E", 0)}, {"E": lambda _: empty}, {"E": _ended_well}


def _label(name: str, facts: int) -> str:
    return f"{name}, {size(facts)}" if facts else name


def _numbered(case: Case, scratch: Path, first: int) -> Source:
    return lambda number: case.command(first + number, scratch, launcher=True)


def _ended_well(sample: Sample) -> None:
    if sample.status != 0 or sample.stdout:
        raise InvalidRun("the empty program failed")


def _keep(bench: Bench, keys: dict[str, Key], samples: dict[str, list[Sample]]) -> None:
    """Note timing and raw values of the cases that have a key."""
    walls = {name: [sample.wall_s for sample in taken] for name, taken in samples.items()}
    processors = {name: [sample.cpu_s for sample in taken] for name, taken in samples.items()}
    for name, (kind, case, facts) in keys.items():
        own = walls[name]
        p95, p99 = (percentile(own, share) / percentile(walls["E"], share) for share in (0.95, 0.99))
        p50, cpu = median_ratio(own, walls["E"]), median_ratio(processors[name], processors["E"])
        middle, p50, p95, p99, cpu = (round(n, 4) for n in (statistics.median(own) * 1e3, p50, p95, p99, cpu))
        bench.report.timings.append(Timing(kind, case, facts, len(own), middle, p50, p95, p99, cpu))
        bench.series.append(Series(f"{name} wall", "second", own))
        bench.series.append(Series(f"{name} cpu", "second", processors[name]))


def _wait_for_orphans() -> None:
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
