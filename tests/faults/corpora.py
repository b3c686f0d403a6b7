"""The handed cases, all categories, against the installed program."""

from __future__ import annotations

from tests.corpus.runner import run_corpus
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome
from tests.shared_material import SHARED


def judged(ground: Ground, kind: str, only: tuple[str, ...] = ()) -> Outcome:
    """The score of every category of one corpus, or of some of them."""
    outcome = Outcome()
    if SHARED is None:
        outcome.not_run = "needs the shared material (GMHOOKS_SHARED)"
        return outcome
    report = run_corpus(kind, SHARED / "corpora" / kind, only, ground.program)
    for cat, score in report.scores().items():
        outcome.count(f"{cat} passed", score.passed)
        if score.not_run:
            outcome.count(f"{cat} not run", score.not_run)
    for verdict in report.failed:
        outcome.fail(f"{verdict.case.kind}/{verdict.case.id}: {' | '.join(verdict.problems)}")
    return outcome


def hook_stdin(ground: Ground, size: int) -> Outcome:
    """Every payload and surrounding of the hook-stdin cases; size 0 leaves the slow categories to the corpus tests."""
    return judged(ground, "hook-stdin", () if size else ("path",))


def facts(ground: Ground, size: int) -> Outcome:
    """Every text of the fact cases, through every way in; size 0 takes the secrets and their look-alikes."""
    return judged(ground, "facts", () if size else ("secret", "benign"))
