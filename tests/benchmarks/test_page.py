"""The results page is drawn from its figures alone, and the page in docs/ is what they draw."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.hook_latency.__main__ import JSON, PAGE, PLOT, main
from benchmarks.hook_latency.cases import COMMON, COMPACT, END, LONG, NO_STORE, REMEMBER, SHORT, START, SUPPRESSED
from benchmarks.hook_latency.gates import LIMITS, SIZES, size
from benchmarks.hook_latency.page import page
from benchmarks.hook_latency.plot import plot
from benchmarks.hook_latency.results import Cell, Figure, Report, Timing, loaded
from benchmarks.hook_latency.rivals import NAMES

DOCS = Path(__file__).resolve().parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"
NAME = next(iter(LIMITS))
REPORT = Report(
    {"command": "python -m benchmarks.hook_latency --page docs", "date": "2026-01-02 03:04 UTC"},
    [Figure(NAME, 1.04, "E"), Figure("sync floor p50", 0.7512, "ms"), Figure("memory peak: E", None, "KiB", "no /proc")],
    [Cell("instructions", SHORT, 1_000, 1.01), Cell("instructions", SHORT, 10_000, 1.0456)],
    [
        Timing("empty", "E", 0, 40, 6.5, 1.0, 1.0, 1.0, 1.0),
        Timing("hook", SHORT, 1_000, 40, 7.5, 1.15, 1.2, 1.3, 1.1),
        Timing("hook", SHORT, 10_000, 40, 7.6, 1.17, 1.21, 1.32, 1.12),
        Timing("hook", NO_STORE, 0, 40, 6.4, 0.98, 1.0, 1.1, 0.95),
        Timing("rival", "a <slow> one", 10_000, 5, 650.0, 100.0, 101.0, 102.0, 99.0),
    ],
)


@pytest.fixture(scope="module")
def kept() -> Report:
    """The report that lies beside the page."""
    return loaded((DOCS / JSON).read_text(encoding="utf-8"))


def test_a_report_is_the_same_after_it_was_written_and_read() -> None:
    assert loaded(REPORT.dumped()) == REPORT


def test_page_and_plot_depend_on_the_report_alone(tmp_path: Path) -> None:
    source = tmp_path / "any.json"
    source.write_text(REPORT.dumped(), encoding="utf-8")

    assert main(["--from-json", str(source)]) == 0
    assert (tmp_path / PAGE).read_text(encoding="utf-8") == page(REPORT, PLOT, JSON)
    assert (tmp_path / PLOT).read_text(encoding="utf-8") == plot(REPORT)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99}', '{"format": 1}', '{"format": 1, "about": 3, "figures": 4}'])
def test_what_is_no_report_is_refused_and_nothing_is_written(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "any.json"
    source.write_text(text, encoding="utf-8")

    assert main(["--from-json", str(source)]) == 3
    assert "any.json" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["any.json"]


def test_a_gated_figure_stands_beside_its_limits_and_others_apart() -> None:
    text = page(REPORT, PLOT, JSON)

    limit = LIMITS[NAME]
    assert f"| {NAME} | 1.04 E | {limit.aim:.0f} | {limit.must:.1f} | must met |" in text
    assert "| sync floor p50 | 0.751 ms |" in text
    assert "| user-prompt short | 1.15 / 1.30 | 1.17 / 1.32 |" in text
    assert "| a <slow> one | 100.00 (650.0 ms) |" in text


def test_a_layer_that_was_not_measured_has_no_section() -> None:
    text = page(Report({"command": "x"}, [Figure("sync floor p50", 1.0, "ms")]), PLOT, JSON)

    assert re.findall("^## (.*)$", text, re.M) == ["Everything else that was measured"]


def test_the_plot_has_a_mark_for_every_timing_in_the_colour_of_its_size() -> None:
    marks = list(ElementTree.fromstring(plot(REPORT)).iter(f"{SVG}g"))

    titles = [mark.findtext(f"{SVG}title") for mark in marks]
    colours = [mark.find(f"{SVG}circle").get("fill") for mark in marks]  # type: ignore[union-attr]
    assert titles == [
        "user-prompt short: median 1.15, p99 1.30", "user-prompt short: median 1.17, p99 1.32",
        "user-prompt without a store: median 0.98, p99 1.10", "a <slow> one: median 100.00, p99 102.00",
    ]  # fmt: skip
    assert (colours[0] != colours[1], colours[1] == colours[3]) == (True, True)


def test_larger_ratios_lie_further_right() -> None:
    marks = ElementTree.fromstring(plot(REPORT)).iter(f"{SVG}g")
    medians = [float(mark.find(f"{SVG}circle").get("cx", "0")) for mark in marks]  # type: ignore[union-attr]

    assert medians[2] < medians[0] < medians[1] < medians[3]


def test_the_page_in_docs_is_what_its_figures_draw(kept: Report) -> None:
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page(kept, PLOT, JSON)
    assert (DOCS / PLOT).read_text(encoding="utf-8") == plot(kept)


def test_the_page_in_docs_says_where_it_comes_from(kept: Report) -> None:
    assert kept.about["command"].startswith("python -m benchmarks.hook_latency")
    assert {"date", "duration", "load average", "processor", "memory", "kernel", "Python", "versions"} <= kept.about.keys()


def test_the_page_in_docs_holds_every_case_size_gate_and_rival(kept: Report) -> None:
    timed = {(timing.name, timing.facts) for timing in kept.timings}
    everywhere = (SHORT, COMMON, LONG, SUPPRESSED, REMEMBER, START, COMPACT, *NAMES)

    assert {(name, facts) for name in everywhere for facts in SIZES} <= timed
    assert {(END, SIZES[1]), (NO_STORE, 0), ("E", 0)} <= timed
    assert {figure.name for figure in kept.figures} >= LIMITS.keys()
    assert {(cell.table, cell.facts) for cell in kept.cells} >= {
        (table, facts) for table in ("instructions", "memory peak", "postings read") for facts in SIZES
    }


def test_sizes_are_named_as_the_gates_name_them() -> None:
    assert [size(facts) for facts in SIZES] == ["1k", "10k", "100k"]
