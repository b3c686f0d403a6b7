"""The results page: one run's report as Markdown. The same report gives the same page, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchmarks.hook_latency.gates import LIMITS, number, rows, size
from benchmarks.hook_latency.results import Report, Timing

HEAD = """\
# Benchmarks

Made by `{command}`; do not edit.
[{json}]({json}) holds the same figures; `python -m benchmarks.hook_latency --from-json docs/benchmarks.json` draws this
page and the plot from it.

Times are ratios to **E**, an empty run of the hook's interpreter (`python -I -S -c pass`) in the same round. E took
{e_ms} ms here. Hooks are timed through the installed launcher, as the client starts them, each in a session of its own.
"""
GATES = """\
Aim and must are upper bounds; `--gate` fails if a must does not hold.
"""
TIMES = """\
Each cell: median of the ratios to E in the same round / p99 to E's p99. Facts are 12 to 25 words of a seeded corpus, one
in seven shared. Prompts: *short* has four words of a fact, *common* six of the 150 commonest words, *long* is a pasted log
of 2,000 words, *suppressed* was answered before in the session. Session end is timed without the work that it leaves behind.
"""
RIVALS = """\
Whole programs that read the same payload, find three of the same facts and print the same kind of answer, in the same
rounds as the hook (`benchmarks/hook_latency/programs/`). The scan and FTS5 run as lean as the hook: same interpreter,
`-I -S`, compiled. The console script is started as pip would start it and imports this project's library. Each cell: p50 in
E, and in ms.
"""
COUNTS = """\
Instructions of the interpreter process, counted by valgrind, in E: the figure that load does not move.
"""
MEMORY = """\
The peak (VmHWM) that the hook process reads of itself at its end, in the peak of an empty program that reads its own.
"""
POSTINGS = """\
Index entries that the engine reads for one prompt, of the project's and of shared memory: median of 20 prompts.
"""
_IN_TABLES = (
    *("instructions: user", "instructions: session", "instructions: pre", "memory peak: user"),
    *("wall p99: user", "wall p50: user-prompt short, "),
)


def page(report: Report, plot: str, json: str) -> str:
    """The page; `plot` and `json` name the files beside it."""
    empty = next((timing.p50_ms for timing in report.timings if timing.kind == "empty"), None)
    e_ms = "not timed" if empty is None else f"{empty:.2f}"
    parts = [
        HEAD.format(command=report.about["command"], json=json, e_ms=e_ms),
        _table(("about this run", "value"), [(name, said) for name, said in report.about.items() if name != "command"]),
        f"![Wall time of each case as a ratio to an empty program]({plot})\n",
        *_section("Gates", GATES, _gates(report)),
        *_section("Wall time", TIMES, _times(report)),
        *_section("Beside other ways to do it", RIVALS, _rivals(report)),
        *_section("Instructions", COUNTS, _cells(report, "instructions")),
        *_section("Memory", MEMORY, _cells(report, "memory peak")),
        *_section("Postings read", POSTINGS, _cells(report, "postings read")),
        *_section("Everything else that was measured", "", _others(report)),
    ]
    return "\n".join(parts)


def _section(title: str, text: str, table: str) -> list[str]:
    """Nothing where there is nothing to show."""
    return [f"## {title}\n", *([text] if text else []), table] if table else []


def _gates(report: Report) -> str:
    held = rows([figure for figure in report.figures if figure.name in LIMITS])
    return _table(("figure", "measured", "aim", "must", "verdict"), held) if held else ""


def _others(report: Report) -> str:
    others = [each for each in report.figures if each.name not in LIMITS and not each.name.startswith(_IN_TABLES)]
    return _table(("figure", "measured"), [row[:2] for row in rows(others)]) if others else ""


def _times(report: Report) -> str:
    return _grid(
        (timing for timing in report.timings if timing.kind == "hook" and "beside" not in timing.name),
        lambda timing: f"{timing.p50:.2f} / {timing.p99:.2f}",
    )


def _rivals(report: Report) -> str:
    if not any(timing.kind == "rival" for timing in report.timings):
        return ""
    return _grid(
        (timing for timing in report.timings if timing.kind == "rival" or "beside" in timing.name),
        lambda timing: f"{timing.p50:.2f} ({timing.p50_ms:.1f} ms)",
    )


def _grid(timings: Iterable[Timing], shown: Callable[[Timing], str]) -> str:
    return _by_size([(timing.name, timing.facts, shown(timing)) for timing in timings])


def _cells(report: Report, table: str) -> str:
    return _by_size([(cell.name, cell.facts, number(cell.value)) for cell in report.cells if cell.table == table])


def _by_size(cells: list[tuple[str, int, str]]) -> str:
    """Names down, store sizes across. What needs no store stands in the first column."""
    sizes = sorted({facts for _, facts, _ in cells if facts})
    if not sizes:
        return ""
    places = {(name, facts or sizes[0]): said for name, facts, said in cells}
    names = dict.fromkeys(name for name, _, _ in cells)
    heads = ("case", *(f"{size(facts)} facts" for facts in sizes))
    return _table(heads, [(name, *(places.get((name, facts), "") for facts in sizes)) for name in names])


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    every = [heads, ["---"] * len(heads), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in every)
