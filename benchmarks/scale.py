"""`python -m benchmarks.scale`: a million facts. Does a hook still find what all postings say is best, and how fast?

Overlap: of the first three by all postings, how many the hook's own ranking has among its first three; beside it the CPU
time of either way, both namespaces, in one process. Wall times are ratios to an empty program of the same interpreter in the
same round, through the installed launcher.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hook_latency.cases import COMMON, LONG, SHORT, Case, every_case
from benchmarks.hook_latency.corpus import Corpus
from benchmarks.hook_latency.gates import Limit, number
from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun, Source, interleaved, median_ratio
from benchmarks.hook_latency.stage import Stage, StageError, build, installed_copy
from gmhooks.hooks.prompt import MOST_TERMS
from gmhooks.recall.engine import recall
from gmhooks.recall.gate import DEPTH
from gmhooks.recall.wide import FEW
from gmhooks.store.bitmaps import fold
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.pages import Pages
from gmhooks.store.writer import run as write
from gmhooks.text.tokens import query_terms

if TYPE_CHECKING:
    from gmhooks.recall.engine import Ranked

BEST = 3
OVERLAP = 0.97
WALL = {SHORT: Limit(2, 2, "E"), COMMON: Limit(3, 3, "E"), LONG: Limit(3, 3, "E")}
FIRST_TIMED = 10_000


def main(argv: list[str] | None = None) -> int:
    """Print the table; 0 done, 1 a must failed (with --gate), 3 it could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--prompts", type=int, default=60, help="of each kind, for the overlap")
    parser.add_argument("--rounds", type=int, default=100, help="interleaved rounds")
    parser.add_argument("--gate", action="store_true", help="exit 1 when a must does not hold")
    options = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="gmhooks-scale-") as folder:
            return _measured(Path(folder), options)
    except (InvalidRun, StageError) as error:
        print(f"scale: {error}", file=sys.stderr)
        return 3


def _measured(root: Path, options: argparse.Namespace) -> int:
    stage = build(root, installed_copy(root), "project", options.facts)
    began = time.monotonic()
    bitmaps = write(str(stage.data_dir), fold, True)
    took = time.monotonic() - began
    size = (stage.data_dir / DATA_NAME).stat().st_size
    print(f"{options.facts:,} facts, {size / 2**20:,.0f} MiB; {bitmaps:,} common terms folded in {took:.1f} s")
    scratch = root / "payloads"
    scratch.mkdir()
    transcript = scratch / "transcript.jsonl"
    transcript.write_bytes(b"")
    cases = {case.name: case for case in every_case(stage, Corpus(seed=4), transcript) if case.name in WALL}
    found = {name: overlap(stage, prompts(stage, name, options.prompts)) for name in cases}
    walls = _walls(stage, cases, scratch, options.rounds)
    heads = ("overlap", "must", "all postings", "hook's way", "wall p50", "must")
    print(f"{'prompt':<20}", *[f"{head:>13}" for head in heads])
    for name, limit in WALL.items():
        each = found[name]
        ways = (f"{each.exact_ms:.1f} ms", f"{each.hook_ms:.1f} ms")
        row = (number(each.share), number(OVERLAP), *ways, f"{walls[name]:.2f} E", f"{limit.must:.0f} E")
        print(f"{name:<20}", *[f"{said:>13}" for said in row])
    held = all(found[name].share >= OVERLAP and walls[name] <= limit.must for name, limit in WALL.items())
    if options.gate and not held:
        print("a must does not hold")
        return 1
    return 0


def prompts(stage: Stage, kind: str, count: int) -> list[str]:
    """Distinct prompts of a kind; short ones ask for facts from all over the store."""
    corpus = Corpus(seed=8)
    if kind == SHORT:
        return [corpus.short_prompt(text) for text in stage.texts[:: max(1, len(stage.texts) // count)][:count]]
    return [corpus.common_prompt() if kind == COMMON else corpus.log_prompt() for _ in range(count)]


@dataclass(frozen=True)
class Overlap:
    """Share of the best three that a hook has among its three; median CPU milliseconds a prompt of either way."""

    share: float
    exact_ms: float
    hook_ms: float


def overlap(stage: Stage, asked: list[str]) -> Overlap:
    """Both ways, for each prompt and both namespaces; more than `FEW` facts are taken from all postings."""
    shared = possible = 0
    spent: dict[int, list[float]] = {FEW + 1: [], DEPTH: []}
    for text in asked:
        names = query_terms(text, MOST_TERMS)
        found = {}
        for depth, taken in spent.items():
            began = time.process_time()
            found[depth] = _ranked(stage, names, depth)
            taken.append((time.process_time() - began) * 1e3)
        for exact, hook in zip(*found.values(), strict=True):
            best = {hit.doc for hit in exact.hits[:BEST]}
            shared += len(best & {hit.doc for hit in hook.hits[:BEST]})
            possible += len(best)
    return Overlap(shared / possible, *[statistics.median(taken) for taken in spent.values()])


def _ranked(stage: Stage, names: list[str], depth: int) -> list[Ranked]:
    """What a hook asks of both namespaces."""
    pages = Pages(f"{stage.data_dir}/{DATA_NAME}")
    now_us = time.time_ns() // 1_000
    try:
        agents = (stage.project.name, SHARED)
        return [recall(pages, find(pages, agent_id), names, now_us, depth, fill=False) for agent_id in agents]
    finally:
        pages.close()


def _walls(stage: Stage, cases: dict[str, Case], scratch: Path, rounds: int) -> dict[str, float]:
    """Median of the ratios to E in the same round."""
    first = cases[SHORT].command(0, scratch, launcher=False)
    empty = Command(stage.empty, first.env, first.cwd, first.stdin)
    sources: dict[str, Source] = {"E": lambda _: empty}
    for name, case in cases.items():
        case.check(run(case.command(0, scratch, launcher=True)))
        sources[name] = lambda number, case=case: case.command(FIRST_TIMED + number, scratch, launcher=True)  # type: ignore[misc]

    def check(name: str, sample: Sample) -> None:
        if name in cases:
            cases[name].check(sample)

    samples = interleaved(sources, rounds, check, lambda: None)
    walls = {name: [sample.wall_s for sample in taken] for name, taken in samples.items()}
    return {name: median_ratio(walls[name], walls["E"]) for name in cases}


if __name__ == "__main__":
    raise SystemExit(main())
