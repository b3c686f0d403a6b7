"""Proves the loader: every planted broken program fails its categories, every unknown word fails its case."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.corpus.cases import Case, load
from tests.corpus.plants import PLANTS, Plant
from tests.corpus.report import Report
from tests.corpus.runner import chosen, run_cases
from tests.installed import Program

_SECTIONS = {
    "hook-stdin": ("expect", "run"),
    "facts": ("expect", "render"),
    "settings": ("expect", "setup", "prepare"),
    "instructions": ("expect", "setup", "needs"),
}
_STRANGE = "word_of_a_later_corpus"


def run_selftest(places: Mapping[str, Path], program: Program, say: Callable[[str], None]) -> list[str]:
    """Run every plant that has cases in `places`; the lines of those that were not caught."""
    missed = []
    for plant in PLANTS:
        for kind in sorted(set(plant.catches) & set(places)):
            missed += _tell(f"{plant.name} / {kind}", list(uncaught(plant, kind, places[kind], program)), say)
    for kind, folder in places.items():
        missed += _tell(f"ignores an expectation / {kind}", list(ignored_words(kind, folder, program)), say)
    return missed


def uncaught(plant: Plant, kind: str, folder: Path, program: Program) -> Iterator[str]:
    """What a broken program gets away with: categories of its that none (or not every) case of fails."""
    with tempfile.TemporaryDirectory(prefix="gm-plant-") as scratch:
        broken = plant.grow(program, Path(scratch) / "broken")
        cases = chosen(load(kind, folder), plant.catches[kind])
        report = run_cases(cases, broken, until_failure=not plant.all_cases)
    for cat, score in report.scores().items():
        if score.failed == 0 or (plant.all_cases and score.passed):
            yield f"{cat}: {score.passed} cases pass"


def ignored_words(kind: str, folder: Path, program: Program) -> Iterator[str]:
    """Sections in which a word that the loader cannot know does not fail the case."""
    cases = load(kind, folder)
    for section in _SECTIONS[kind]:
        report = run_cases([_with_strange_word(cases, section)], program)
        if not _fails_for_the_word(report):
            yield f"{section}: an unknown word was ignored"
    stranger = replace(cases[0], entry={**cases[0].entry, _STRANGE: True})
    if not _fails_for_the_word(run_cases([stranger], program)):
        yield "an unknown key of the case was ignored"


def _with_strange_word(cases: list[Case], section: str) -> Case:
    case = next((case for case in cases if _has(case, section)), cases[0])
    entry: dict[str, Any] = dict(case.entry)
    if section == "render":
        entry["expect"] = {**case.expect, "render": {**case.expect["render"], _STRANGE: True}}
    elif section == "prepare":
        entry["prepare"] = [*(entry.get("prepare") or []), f"{_STRANGE}:x"]
    elif section == "needs":
        entry["needs"] = _STRANGE
    else:
        entry[section] = {**(entry.get(section) or {}), _STRANGE: True}
    return replace(case, entry=entry)


def _has(case: Case, section: str) -> bool:
    return section in (case.expect if section == "render" else case.entry)


def _fails_for_the_word(report: Report) -> bool:
    return all(any(_STRANGE in problem for problem in verdict.problems) for verdict in report.verdicts)


def _tell(what: str, missed: list[str], say: Callable[[str], None]) -> list[str]:
    say(f"{'MISSED' if missed else 'caught'}: {what}" + "".join(f"; {line}" for line in missed))
    return missed
