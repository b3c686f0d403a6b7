"""What one run found: figures, tables and timings; as JSON, from which page and plot are drawn, and as a pyperf suite."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

FORMAT = 1


@dataclass(frozen=True)
class Series:
    """All values of one quantity; `unit` is pyperf's: second, byte or integer."""

    name: str
    unit: str
    values: list[float]


@dataclass(frozen=True)
class Figure:
    """One measured value, or the reason why it could not be measured."""

    name: str
    value: float | None
    unit: str
    reason: str = ""


@dataclass(frozen=True)
class Cell:
    """One value of a table over cases and store sizes."""

    table: str
    name: str
    facts: int
    value: float


@dataclass(frozen=True)
class Timing:
    """Wall time of one case: p50 in ms; p50 as the median of ratios to E in the same round, p95 and p99 to E's own; CPU time
    like p50. `kind`: empty, hook or rival."""

    kind: str
    name: str
    facts: int
    runs: int
    p50_ms: float
    p50: float
    p95: float
    p99: float
    cpu: float


@dataclass
class Report:
    """Everything the page says. `about`: command, date, duration, machine and versions, in the order printed."""

    about: dict[str, str] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)

    def dumped(self) -> str:
        """The report as JSON text; `loaded` gives it back."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"


def loaded(text: str) -> Report:
    """The report of a JSON text. ValueError when it is none of this format."""
    raw = json.loads(text)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ValueError(f"not a report of format {FORMAT}")
    return Report(
        raw["about"],
        [Figure(**each) for each in raw["figures"]],
        [Cell(**each) for each in raw["cells"]],
        [Timing(**each) for each in raw["timings"]],
    )


def save(path: Path, series: list[Series], metadata: dict[str, str]) -> None:
    """Write `series` as a pyperf suite to `path`, replacing it: `python -m pyperf compare_to OLD NEW` compares two runs.
    Raises ImportError when pyperf is not installed."""
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
