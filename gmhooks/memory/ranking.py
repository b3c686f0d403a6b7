"""Asking the ranking engine, for one namespace or for the agent's and the shared one together."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.memory.views import FactView, Recalled, view
from gmhooks.recall.engine import Ranked, recall
from gmhooks.recall.fuse import POLICY, K
from gmhooks.recall.receipt import explain
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
    """One recall: what is asked, how many facts at most (0 or less: 8), and the confidence options as given."""

    query: str
    top_k: int
    min_confidence: str | None
    confidence_weight: float | None
    now_us: int

    @property
    def size(self) -> int:
        """How many facts may come back."""
        return min(self.top_k, _LARGEST_TOP_K) if self.top_k > 0 else TOP_K


def ask_one(store: Store | None, data_dir: str, agent_id: str, question: Question, *, receipts: bool) -> Recalled:
    """The facts of one namespace, best first; they count as shown."""
    scope = "shared" if agent_id == SHARED else "agent"
    if store is None:
        return _answer(scope, question, [], [])
    ranked = _rank(store, data_dir, agent_id, question)
    explained = explain(store, ranked) if receipts else []
    _touch(data_dir, [(ranked, at) for at in range(len(ranked.hits))], question.now_us)
    return _answer(scope, question, _views(store, ranked, agent_id), explained)


def ask_both(store: Store | None, data_dir: str, agent_id: str, question: Question) -> Recalled:
    """The facts of the agent's and the shared namespace, fused by their positions in both rankings."""
    if store is None:
        return _answer("all", question, [], [])
    rankings = [_rank(store, data_dir, owner, question) for owner in (agent_id, SHARED)]
    places: dict[str, list[int]] = {}
    for side, ranked in enumerate(rankings):
        for at, hit in enumerate(ranked.hits):
            places.setdefault(hit.fact.text, [-1, -1])[side] = at
    chosen = sorted(places, key=lambda text: _order(text, places[text]))[: question.size]
    sides = [0 if places[text][0] >= 0 else 1 for text in chosen]
    picked = [(rankings[side], places[text][side]) for text, side in zip(chosen, sides, strict=True)]
    _touch(data_dir, picked, question.now_us)
    views = [
        view(ranked.hits[at].fact, ranked.ns.agent_id or agent_id, short_id(store, ranked.hits[at].fact))
        for ranked, at in picked
    ]
    return _answer("all", question, views, [])


def _order(text: str, places: list[int]) -> tuple[float, bool, int, bool, int, str]:
    score = sum(1.0 / (K + 1 + place) for place in places if place >= 0)
    agent, shared = places
    return -score, agent < 0, agent, shared < 0, shared, text


def _rank(store: Store, data_dir: str, agent_id: str, question: Question) -> Ranked:
    least = CONFIDENCES.index(question.min_confidence) if question.min_confidence else None
    waiting = [spooled for spooled in pending(data_dir) if spooled.agent_id == agent_id]
    return recall(
        store, find(store, agent_id), query_terms(question.query), question.now_us, question.size,
        min_confidence=least, confidence_weight=question.confidence_weight or 0.0, spooled=waiting,
    )  # fmt: skip


def _views(store: Store, ranked: Ranked, agent_id: str) -> list[FactView]:
    return [view(hit.fact, agent_id, short_id(store, hit.fact)) for hit in ranked.hits]


def _touch(data_dir: str, picked: list[tuple[Ranked, int]], now_us: int) -> None:
    shown = [(ranked.ns.number, ranked.hits[at].doc) for ranked, at in picked if not ranked.hits[at].spooled]
    if not shown:
        return
    try:
        append(data_dir, shown, now_us)
    except OSError:
        # A read-only or full disk costs the access counts, never the answer.
        return


def _answer(scope: str, question: Question, facts: list[FactView], receipts: list[dict[str, object]]) -> Recalled:
    return Recalled(scope, question.query, tuple(facts), tuple(receipts), _retrieval(question))


def _retrieval(question: Question) -> dict[str, object] | None:
    if question.min_confidence is None and question.confidence_weight is None:
        return None
    body: dict[str, object] = {} if question.min_confidence is None else {"min_confidence": question.min_confidence}
    body["confidence_weight"] = question.confidence_weight or 0.0
    body["policy"] = POLICY
    body["kg"] = "hints_without_confidence_receipts" if question.min_confidence is None else "suppressed_min_confidence"
    return body
