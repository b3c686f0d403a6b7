"""Searching on purpose: one question with its feedback and receipts, or several at once."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.memory.feedback import feedback
from gmhooks.memory.learning import Lesson
from gmhooks.memory.ranking import Question, lesson_of, note_shown, rank, retrieval
from gmhooks.recall.merge import batch
from gmhooks.recall.receipt import explain
from gmhooks.store.env import Store


@dataclass(frozen=True, slots=True)
class Found:
    """Texts best first; receipts only when asked for; feedback only for a weak match; what is to be learned from it."""

    texts: tuple[str, ...]
    receipts: tuple[dict[str, object], ...]
    feedback: str | None
    retrieval: dict[str, object] | None
    lesson: Lesson | None = None


def search(store: Store | None, data_dir: str, agent_id: str, question: Question, *, receipts: bool) -> Found:
    """The facts of one namespace that fit the question; they count as shown."""
    policy = retrieval(question)
    if store is None:
        return Found((), (), None, policy)
    ranked = rank(store, data_dir, agent_id, question)
    explained = explain(store, ranked, options_used=question.options_used) if receipts else []
    said = feedback(store, ranked, question.least)
    note_shown(data_dir, ranked.hits, question.now_us)
    taught = lesson_of(store, data_dir, ranked, question)
    return Found(tuple(hit.fact.text for hit in ranked.hits), tuple(explained), said, policy, taught)


def search_all(
    store: Store | None, data_dir: str, agent_id: str, questions: list[Question]
) -> tuple[list[str], list[list[str]]]:
    """The merged facts of several questions, and those of each; every fact shown counts once."""
    if store is None:
        return [], [[] for _ in questions]
    rankings = [rank(store, data_dir, agent_id, question).hits for question in questions]
    merged = batch(rankings)
    note_shown(data_dir, merged, questions[0].now_us)
    return [hit.fact.text for hit in merged], [[hit.fact.text for hit in hits] for hits in rankings]
