"""What the loader prints: one line per failing case, then a score per category and what was not run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.corpus.cases import Verdict

_WIDEST = 600


@dataclass
class Score:
    """How a category did."""

    passed: int = 0
    failed: int = 0
    not_run: int = 0


@dataclass
class Report:
    """All verdicts of one run."""

    verdicts: list[Verdict] = field(default_factory=list)

    def scores(self) -> dict[str, Score]:
        """Score per category, in the order the corpus names them."""
        found: dict[str, Score] = {}
        for verdict in self.verdicts:
            score = found.setdefault(verdict.case.cat, Score())
            score.not_run += verdict.not_run is not None
            score.failed += bool(verdict.problems)
            score.passed += verdict.not_run is None and not verdict.problems
        return found

    @property
    def failed(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.problems]

    @property
    def not_run(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.not_run is not None]

    def lines(self) -> Iterable[str]:
        """The whole report."""
        for verdict in self.failed:
            yield failure_line(verdict)
        for verdict in self.not_run:
            yield f"not run {verdict.case.kind}/{verdict.case.id} [{verdict.case.cat}]: {verdict.not_run}"
        for cat, score in self.scores().items():
            left_out = f", {score.not_run} not run" if score.not_run else ""
            yield f"{cat}: {score.passed}/{score.passed + score.failed}{left_out}"


def failure_line(verdict: Verdict) -> str:
    """One failing case as one line: id, category, what was expected, what happened."""
    told = " | ".join(" ".join(problem.split()) for problem in verdict.problems)
    shown = told if len(told) <= _WIDEST else told[:_WIDEST] + "…"
    return f"FAIL {verdict.case.kind}/{verdict.case.id} [{verdict.case.cat}] {shown}"
