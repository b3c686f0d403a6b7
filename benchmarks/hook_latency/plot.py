"""The plot: wall time of every case as a ratio to the empty program, on a logarithmic axis, as SVG.

A dot is the median and a line reaches to the p99 (to E's own); one colour for each store size. The same report gives the
same bytes.
"""

from __future__ import annotations

from math import ceil, floor, log2
from xml.sax.saxutils import escape

from benchmarks.hook_latency.gates import size
from benchmarks.hook_latency.results import Report, Timing

LEFT, WIDTH, ROW, TOP, RIGHT = 270, 560, 30, 64, 30
COLOURS = ("#2a9d8f", "#264f9e", "#c8553d", "#6b4c9a")
_STYLE = "font-family:system-ui,sans-serif;font-size:12px"


def plot(report: Report) -> str:
    """The SVG text; an empty drawing where nothing was timed."""
    timings = [timing for timing in report.timings if timing.kind != "empty"]
    names = list(dict.fromkeys(timing.name for timing in timings))
    sizes = sorted({timing.facts for timing in timings if timing.facts})
    ratios = [ratio for timing in timings for ratio in (timing.p50, timing.p99)] or [1.0]
    low, high = floor(log2(min(*ratios, 1.0, 0.9))), max(ceil(log2(max(ratios))), 1)
    height = TOP + ROW * len(names) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" style="{_STYLE}">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(16, 24, "Wall time as a ratio to an empty program of the same interpreter (dot: median, line: to p99)"),
    ]
    parts += _axis(low, high, height)
    for at, facts in enumerate(sizes):
        x = LEFT + at * 110
        parts.append(f'<circle cx="{x}" cy="42" r="4" fill="{_colour(sizes, facts)}"/>')
        parts.append(_text(x + 10, 46, f"{size(facts)} facts"))
    for row, name in enumerate(names):
        middle = TOP + ROW * row + ROW // 2
        parts.append(_text(LEFT - 12, middle + 4, name, anchor="end"))
        parts += [_mark(timing, middle, sizes, low, high) for timing in timings if timing.name == name]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axis(low: int, high: int, height: int) -> list[str]:
    found = []
    for power in range(low, high + 1):
        x = _place(2.0**power, low, high)
        strong = power == 0
        stroke = "#555555" if strong else "#dddddd"
        found.append(f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - 28}" stroke="{stroke}"/>')
        said = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        found.append(_text(x, height - 12, f"{said} E" if strong else said, anchor="middle"))
    return found


def _mark(timing: Timing, middle: int, sizes: list[int], low: int, high: int) -> str:
    colour = _colour(sizes, timing.facts)
    y = middle + (sizes.index(timing.facts) - (len(sizes) - 1) / 2) * 7 if timing.facts in sizes else middle
    near, far = _place(timing.p50, low, high), _place(timing.p99, low, high)
    title = f"{timing.name}: median {timing.p50:.2f}, p99 {timing.p99:.2f}"
    return (
        f'<g><title>{escape(title)}</title>'
        f'<line x1="{near}" y1="{y}" x2="{far}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
        f'<circle cx="{near}" cy="{y}" r="3.5" fill="{colour}"/></g>'
    )


def _place(ratio: float, low: int, high: int) -> float:
    return round(LEFT + WIDTH * (log2(max(ratio, 2.0**low)) - low) / (high - low), 1)


def _colour(sizes: list[int], facts: int) -> str:
    return COLOURS[sizes.index(facts) % len(COLOURS)] if facts in sizes else "#777777"


def _text(x: float, y: float, said: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="#222222">{escape(said)}</text>'
