"""Results as a pyperf suite: `python -m pyperf compare_to OLD NEW` compares two runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Series:
    """All values of one quantity; `unit` is pyperf's: second, byte or integer."""

    name: str
    unit: str
    values: list[float]


def save(path: Path, series: list[Series], metadata: dict[str, str]) -> None:
    """Write `series` to `path`, replacing it. Raises ImportError when pyperf is not installed."""
    import pyperf  # type: ignore[import-untyped]

    benchmarks = [
        pyperf.Benchmark(
            [
                pyperf.Run(
                    one.values,
                    metadata={"name": one.name, "unit": one.unit, **metadata},
                    collect_metadata=False,
                )
            ]
        )
        for one in series
        if one.values
    ]
    pyperf.BenchmarkSuite(benchmarks).dump(str(path), replace=True)
