"""Asking the ranking engine, for one namespace or for the agent's and the shared one together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gmhooks.memory.learning import Lesson, lesson
from gmhooks.memory.neighbours import parts_of, smoothed
from gmhooks.memory.views import Batch, FactView, Recalled, view
from gmhooks.memory.weights import kept
from gmhooks.recall.compounds import other_spellings
from gmhooks.recall.currency import WINDOW, newer_first
from gmhooks.recall.engine import Hit, Ranked, recall
from gmhooks.recall.fuse import POLICY
from gmhooks.recall.merge import batch, recall_all
from gmhooks.recall.receipt import explain
from gmhooks.recall.spelling import Correction, corrections
from gmhooks.store.aliases import expand
from gmhooks.store.env import Store
from gmhooks.store.facts import short_id
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.records import CONFIDENCES
from gmhooks.store.spool import pending
from gmhooks.store.touches import append
from gmhooks.text.tokens import query_terms

TOP_K = 8
_LARGEST_TOP_K = 100_000


@dataclass(frozen=True, slots=True)
class Question:
    """One recall: what is asked, how many facts at most (0 or less: 8), the confidence options as given, and whether
    neighbours count."""

    query: str
    top_k: int
    min_confidence: str | None
    confidence_weight: float | None
    now_us: int
    neighbours: bool = False

    @property
    def size(self) -> int:
        """How many facts may come back."""
        return min(self.top_k, _LARGEST_TOP_K) if self.top_k > 0 else TOP_K

    @property
    def least(self) -> int | None:
        """The minimum confidence as stored."""
        return CONFIDENCES.index(self.min_confidence) if self.min_confidence else None

    @property
    def options_used(self) -> bool:
        """Whether a confidence option was given, be it zero."""
        return self.min_confidence is not None or self.confidence_weight is not None


def ask_one(
    store: Store | None, data_dir: str, agent_id: str, question: Question, *, receipts: bool
) -> tuple[Recalled, Lesson | None]:
    """The facts of one namespace, best first, and what is to be learned from that; the facts count as shown."""
    scope = "shared" if agent_id == SHARED else "agent"
    if store is None:
        return _answer(scope, question, [], [], []), None
    ranked = rank(store, data_dir, agent_id, question)
    explained = []
    if receipts:
        explained = explain(store, ranked, options_used=question.options_used, smoothed=parts_of(ranked))
    note_shown(data_dir, ranked.hits, question.now_us)
    views = [view(hit.fact, agent_id, short_id(store, hit.fact)) for hit in ranked.hits]
    return _answer(scope, question, ranked.hits, views, explained), lesson_of(store, data_dir, ranked, question)


def ask_both(store: Store | None, data_dir: str, agent_id: str, question: Question) -> Recalled:
    """The facts of the agent's and the shared namespace, fused by their positions in both rankings."""
    if store is None:
        return _answer("all", question, [], [], [])
    mine, shared = (rank(store, data_dir, owner, question) for owner in (agent_id, SHARED))
    hits = recall_all(mine.hits, shared.hits, question.size)
    owners = [agent_id if hit in mine.hits else SHARED for hit in hits]
    note_shown(data_dir, hits, question.now_us)
    views = [view(hit.fact, owner, short_id(store, hit.fact)) for hit, owner in zip(hits, owners, strict=True)]
    return _answer("all", question, hits, views, [])


def ask_many(store: Store | None, data_dir: str, agent_id: str, questions: list[Question]) -> Batch:
    """The facts of several questions to one namespace; every fact counts as shown once."""
    if store is None:
        return Batch((), tuple(() for _ in questions))
    rankings = [rank(store, data_dir, agent_id, question).hits for question in questions]
    merged = batch(rankings)
    note_shown(data_dir, merged, questions[0].now_us if questions else 0)
    lists = [tuple(view(hit.fact, agent_id, short_id(store, hit.fact)) for hit in hits) for hits in (merged, *rankings)]
    return Batch(lists[0], tuple(lists[1:]))


def rank(store: Store, data_dir: str, agent_id: str, question: Question) -> Ranked:
    """One namespace's ranking; its live aliases and other spellings of compounds widen the query, saves that still wait take
    part, and of two similar matches the newer goes first."""
    ns = find(store, agent_id)
    terms = query_terms(question.query)
    waiting = [spooled for spooled in pending(data_dir) if spooled.agent_id == agent_id]
    terms = expand(store, ns, terms) if ns is not None else terms

    def ask(terms: list[str], corrected: Sequence[Correction] = ()) -> Ranked:
        return recall(
            store, ns, terms, question.now_us, max(question.size, WINDOW), min_confidence=question.least,
            confidence_weight=question.confidence_weight or 0.0, spooled=waiting, corrected=corrected,
        )  # fmt: skip

    ranked = ask(terms)
    more = other_spellings(store, question.query, [ranked])
    ranked = ask(terms + more) if more else ranked
    corrected = corrections(store, question.query, [ranked])
    ranked = ask(terms + more, corrected) if corrected else ranked
    if question.neighbours:
        size = max(question.size, WINDOW)
        ranked = smoothed(store, ranked, size, min_confidence=question.least, spooled=waiting)
    newer_first(store, ranked, kept(store, ranked.ns.number))
    del ranked.hits[question.size :]
    return ranked


def lesson_of(store: Store, data_dir: str, ranked: Ranked, question: Question) -> Lesson | None:
    """What is to be learned from a ranking; of one that leaves facts out for their confidence nothing is."""
    return lesson(store, data_dir, ranked, question.query) if question.min_confidence is None else None


def note_shown(data_dir: str, hits: list[Hit], now_us: int) -> None:
    """Count these facts as recalled."""
    shown = [(hit.fact.ns, hit.fact.doc) for hit in hits if hit.doc >= 0]
    if not shown:
        return
    try:
        append(data_dir, shown, now_us)
    except OSError:
        # A read-only or full disk costs the access counts, never the answer.
        return


def _answer(
    scope: str, question: Question, hits: list[Hit], facts: list[FactView], receipts: list[dict[str, object]]
) -> Recalled:
    matches = tuple(hit.keyword_rank > 0 or hit.vector_rank > 0 for hit in hits)
    return Recalled(scope, question.query, tuple(facts), tuple(receipts), retrieval(question), matches)


def retrieval(question: Question) -> dict[str, object] | None:
    """What the confidence options did, in the published shape; None when none was given."""
    if not question.options_used:
        return None
    body: dict[str, object] = {} if question.min_confidence is None else {"min_confidence": question.min_confidence}
    body["confidence_weight"] = question.confidence_weight or 0.0
    body["policy"] = POLICY
    body["kg"] = "hints_without_confidence_receipts" if question.min_confidence is None else "suppressed_min_confidence"
    return body
