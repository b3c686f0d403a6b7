"""A small run of every check; `python -m tests.faults --full` is the whole one. And the checks themselves can fail."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.hook_latency import traces
from tests.faults import corrupt, powercut, stuck
from tests.faults.__main__ import main
from tests.faults.ground import Ground
from tests.faults.judge import judge
from tests.faults.outcome import Outcome
from tests.faults.promises import CHECKS, Check
from tests.faults.table import document, read
from tests.installed import Program

ALL = [
    pytest.param(check, id=f"{promise.replace(' ', '-')}-{check.name}")
    for promise, checks in CHECKS.items()
    for check in checks
]


@pytest.fixture
def ground(program: Program, tmp_path: Path) -> Iterator[Ground]:
    yield Ground(program, tmp_path)
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.parametrize("check", ALL)
def test_the_promise_holds(check: Check, ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "SLACK", 10)
    outcome = check.on(ground, check.quick)
    if outcome.not_run:
        pytest.skip(outcome.not_run)
    assert outcome.failures == []
    assert outcome.figures


def test_an_interrupted_run_is_continued_with_the_parts_it_lacks(program: Program, tmp_path: Path) -> None:
    out, wanted = tmp_path / "results", ["--only", "fences.fuzzed", "fuzz.in_process", "--program", str(program.prefix)]
    assert main([*wanted, "--full", "--share", "0.001", "--out", str(out)]) == 0
    lines = out.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 1 + 10
    out.write_text("".join(lines[:5]) + lines[5][:40])
    assert main([*wanted, "--full", "--share", "0.001", "--out", str(out), "--resume"]) == 0
    again = out.read_text().splitlines(keepends=True)
    assert (again[:5], sorted(len(json.loads(line)) for line in again)) == (lines[:5], [1, *[8] * 11])
    page = document(read(out), "# Page\n\n## Figures\n\nold\n")
    assert "| P4 | fuzz.in_process | runs 200, " in page
    assert "old" not in page


def test_a_part_that_proved_too_little_fails() -> None:
    outcome = Outcome()
    outcome.count("kills", 9)
    outcome.need(10, "kills")
    assert outcome.failures == ["only 9 kills, 10 wanted"]


@pytest.mark.skipif(traces.absent() is not None, reason=str(traces.absent()))
def test_a_power_cut_without_syncs_loses_saves(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powercut.File, "sync", lambda self: None)
    assert powercut.cuts(ground, 60, saves=20).failures


def test_a_save_that_vanishes_is_noticed(ground: Ground) -> None:
    ground.cli("remember", "it was there")
    with judge() as looker:
        before = looker.ask(ground.data)
        (ground.data / "gray.mdb").write_bytes(bytes(100))
        after = looker.ask(ground.data)
    assert (before.stored, before.problems) == (["it was there"], [])
    assert (after.stored, bool(after.problems)) == ([], True)


def test_a_wrong_text_and_a_changed_file_are_noticed(ground: Ground) -> None:
    corrupt.fill(ground)
    outcome = Outcome()
    done = ground.hook("SessionStart")
    corrupt._judge_run(outcome, "nothing is known", done, set(), False)
    assert outcome.figures["wrong texts shown"] == len(done.facts) > 0


def test_a_hook_that_exceeds_its_bound_is_noticed(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "SLACK", 0)
    assert stuck.saves(ground, 1).failures
