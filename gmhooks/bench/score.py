"""Scoring one set: every namespace is filled, asked and dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from gmhooks.bench import metrics
from gmhooks.bench.data import Query, Space
from gmhooks.bench.subject import Subject

Ask = Callable[[str, str], list[str]]
MISSED_AFTER = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """`top_k` facts are asked for; `links` off hides what supersedes what; `repeat` asks everything twice; `as_hook` asks
    the prompt hook as well."""

    top_k: int = 20
    links: bool = True
    repeat: bool = False
    as_hook: bool = False


@dataclass(slots=True)
class Tally:
    """What was asked of one set in one way, and what came back."""

    rows: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    currency: list[dict[str, float]] = field(default_factory=list)
    missed: list[tuple[Query, list[str]]] = field(default_factory=list)
    intruders: list[tuple[Query, list[str]]] = field(default_factory=list)
    unstable: int = 0

    def add(self, query: Query, ids: list[str]) -> None:
        """Count one answer."""
        if not query.gold:
            self.counts.append(len(ids[: metrics.SHOWN]))
            if ids:
                self.intruders.append((query, ids))
            return
        row = metrics.judge(ids, query.gold)
        self.rows.append((query.kind, row))
        if row[f"R@{MISSED_AFTER}"] < 1:
            self.missed.append((query, ids))
        if query.stale:
            self.currency.append(metrics.currency(ids, query.gold, query.stale))

    def as_object(self) -> dict[str, object]:
        """All measures, over everything and by type of question; what does not apply is left out."""
        body: dict[str, object] = {"queries": len(self.rows), "unstable": self.unstable}
        if self.rows:
            body["all"] = metrics.mean([row for _, row in self.rows])
        kinds = sorted({kind for kind, _ in self.rows})
        of = {kind: [row for each, row in self.rows if each == kind] for kind in kinds}
        body["types"] = {kind: {**metrics.mean(rows), "n": len(rows)} for kind, rows in of.items()}
        if self.counts:
            body["noise"] = metrics.noise(self.counts)
        if self.currency:
            body["currency"] = {**metrics.mean(self.currency), "n": len(self.currency)}
        return body


@dataclass(frozen=True, slots=True)
class Score:
    """The tallies of one set: what recall finds, and what the prompt hook injects (None: not asked)."""

    recall: Tally
    hook: Tally | None

    @property
    def lost(self) -> float:
        """How much of R@3 the injection gate gives up."""
        if self.hook is None or not self.recall.rows:
            return 0.0
        plain, gated = (metrics.mean([row for _, row in tally.rows])["R@3"] for tally in (self.recall, self.hook))
        return plain - gated


def score(subject: Subject, spaces: Iterable[Space], plan: Plan) -> Score:
    """Fill and ask one set. BadData."""
    found = Score(Tally(), Tally() if plan.as_hook else None)

    def recalled(space: str, text: str) -> list[str]:
        return subject.recall(space, text, plan.top_k)

    for space in spaces:
        facts = space.facts if plan.links else [replace(fact, supersedes=()) for fact in space.facts]
        subject.ingest(space.name, facts)
        _ask(found.recall, recalled, space.name, space.queries, plan)
        if found.hook is not None:
            _ask(found.hook, subject.inject, space.name, space.queries, plan)
        subject.drop(space.name)
    return found


def _ask(tally: Tally, ask: Ask, space: str, queries: Sequence[Query], plan: Plan) -> None:
    for query in queries:
        ids = ask(space, query.text)
        tally.unstable += plan.repeat and ask(space, query.text) != ids
        tally.add(query, ids)
