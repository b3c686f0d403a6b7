"""Interleaved rounds of several commands, and the statistics drawn from them."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterable

from benchmarks.hook_latency.process import Command, Sample, run

Source = Callable[[int], Command]


class InvalidRun(RuntimeError):
    """A measured process did not do what its case requires, so its figure would mean nothing."""


def interleaved(
    sources: dict[str, Source],
    rounds: int,
    check: Callable[[str, Sample], None],
    between: Callable[[], None],
) -> dict[str, list[Sample]]:
    """Run every command once per round, in an order shuffled anew for each round.

    `sources` gives the command of a case for a round number; `check` raises InvalidRun for a sample that
    does not count; `between` runs once per round, outside every measured span. Sample i of one case and
    sample i of another come from the same round, so ratios can be taken pair by pair.
    """
    shuffle = random.Random(rounds)
    names = list(sources)
    samples: dict[str, list[Sample]] = {name: [] for name in names}
    for number in range(rounds):
        shuffle.shuffle(names)
        for name in names:
            sample = run(sources[name](number))
            check(name, sample)
            samples[name].append(sample)
        between()
    return samples


def percentile(values: Iterable[float], share: float) -> float:
    """The nearest-rank percentile; `share` between 0 and 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median_ratio(over: list[float], under: list[float]) -> float:
    """The median of the ratios taken pair by pair."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))
