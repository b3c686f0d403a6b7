"""The limits, and the tables that set each measured figure beside them."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.hook_latency.results import Figure


@dataclass(frozen=True)
class Limit:
    """An aim and a must for one figure, both upper bounds in `unit`."""

    aim: float
    must: float
    unit: str


LIMITS: dict[str, Limit] = {
    "instructions: user-prompt short, 10k": Limit(1.00, 1.10, "E"),
    "instructions: user-prompt common, 10k": Limit(1.10, 1.18, "E"),
    "instructions: user-prompt long, 10k": Limit(1.35, 1.45, "E"),
    "instructions: user-prompt short, 10k over 1k": Limit(1.05, 1.05, "x"),
    "instructions: user-prompt short, 100k over 10k": Limit(1.60, 1.60, "x"),
    "instructions: session-start, 10k": Limit(1.50, 1.50, "E"),
    "instructions: pre-compact, 10k": Limit(1.50, 1.50, "E"),
    "instructions: session-end, 10k": Limit(1.60, 1.60, "E"),
    "wall p50: user-prompt short, 10k": Limit(1.25, 1.40, "E"),
    "wall p99: user-prompt short, 10k": Limit(1.60, 1.60, "E p99"),
    "wall p50: user-prompt short, 100k": Limit(1.40, 1.40, "E"),
    "wall p50: user-prompt remember, 10k, less the sync floor": Limit(1.30, 1.30, "E"),
    "timed runs cut short or failed": Limit(0, 0, "runs"),
    "memory peak: user-prompt short, 10k": Limit(1.50, 1.50, "E"),
    "remember: fdatasync calls": Limit(1, 1, "calls"),
    "remember: other sync calls": Limit(0, 0, "calls"),
    "remember: O_DSYNC writes": Limit(1, 1, "calls"),
    "prompt: files written beside state and logs": Limit(0, 0, "files"),
    "prompt: modules loaded that no hook may load": Limit(0, 0, "modules"),
    "store transaction of one fact, no sync": Limit(100, 100, "us"),
    "analysis and checks of one fact": Limit(250, 250, "us"),
    "8 hooks beside 4 writers: failures": Limit(0, 0, "runs"),
    "8 hooks beside 4 writers: saves lost": Limit(0, 0, "saves"),
}
SIZES = (1_000, 10_000, 100_000)


def verdict(figure: Figure) -> str:
    """What the figure's limits say about it: '', 'aim met', 'must met', 'FAILED' or 'NOT MEASURED'."""
    limit = LIMITS.get(figure.name)
    if figure.value is None:
        return f"NOT MEASURED: {figure.reason}"
    if limit is None:
        return ""
    if figure.value <= limit.aim:
        return "aim met"
    return "must met" if figure.value <= limit.must else "FAILED"


def failed(figures: list[Figure]) -> list[Figure]:
    """Figures with a must that does not hold; one that could not be measured does not hold either."""
    return [
        figure
        for figure in figures
        if figure.name in LIMITS and (figure.value is None or figure.value > LIMITS[figure.name].must)
    ]


def rows(figures: list[Figure]) -> list[tuple[str, str, str, str, str]]:
    """Each figure with its aim, its must and the verdict, as words."""
    found = []
    for figure in figures:
        limit = LIMITS.get(figure.name)
        value = "-" if figure.value is None else f"{number(figure.value)} {figure.unit}"
        aim, must = (number(limit.aim), number(limit.must)) if limit else ("", "")
        found.append((figure.name, value, aim, must, verdict(figure)))
    return found


def table(figures: list[Figure]) -> str:
    """Every figure with its aim and must, one line each."""
    every = [("figure", "measured", "aim", "must", "verdict"), *rows(figures)]
    widths = [max(len(row[column]) for row in every) for column in range(4)]
    lines = []
    for name, *numbers, said in every:
        columns = [f"{each:>{width}}" for each, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([f"{name:<{widths[0]}}", *columns, said]).rstrip())
    return "\n".join(lines)


def number(value: float) -> str:
    """Three places at most, none for whole numbers and thousands."""
    if value >= 1_000 or (value == int(value) and value >= 10):
        return f"{value:,.0f}"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def size(facts: int) -> str:
    """A number of facts as the figures' names write it."""
    return f"{facts // 1000}k" if facts >= 1000 and facts % 1000 == 0 else str(facts)
