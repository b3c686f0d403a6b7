"""The MCP benchmark measures what it names, and its gate fails where a must does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import mcp_latency
from benchmarks.mcp_latency import COMMAND, FAST, LEAN, LIMITS, OLDER, SDK, SEARCH, Figure, failures, measured

HOLDS = {LEAN: 1.1, OLDER: 1.2, SDK: 40.0, SEARCH: 0.9}


def figures(changed: dict[str, float]) -> list[Figure]:
    return [Figure(name, value, value, "E") for name, value in (HOLDS | changed).items()]


def test_every_figure_is_taken_from_servers_that_answer(tmp_path: Path) -> None:
    taken = measured(tmp_path, facts=200, rounds=2, searches=5, passes=2)
    ratios = [(name, "E") for name in (LEAN, OLDER, SDK, FAST, COMMAND)]
    assert [(figure.name, figure.unit) for figure in taken] == [*ratios, (SEARCH, "ms"), (mcp_latency.SEARCH_WALL, "ms")]
    assert all(0 < figure.p50 <= figure.p99 for figure in taken)


def test_nothing_fails_where_every_must_holds() -> None:
    assert failures(figures({})) == []


@pytest.mark.parametrize("name", LIMITS)
def test_a_figure_above_its_must_fails(name: str) -> None:
    assert [said.partition(":")[0] for said in failures(figures({name: 3.5}))] == [name]


def test_an_sdk_that_is_nearly_as_fast_fails_the_choice_of_a_loop_of_our_own() -> None:
    assert [said.partition(":")[0] for said in failures(figures({SDK: 5.0}))] == [SDK]
