"""The library: save, find, list and retire facts of one store. Every call opens the store, does its work and closes it."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Sequence

from gmhooks.hooks.admit import admit
from gmhooks.hooks.clock import now_us
from gmhooks.hooks.targets import retire_all
from gmhooks.memory.access import changing, reading, require_usable
from gmhooks.memory.agents import checked_agent_id
from gmhooks.memory.listing import list_facts
from gmhooks.memory.ranking import TOP_K, Question, ask_both, ask_one
from gmhooks.memory.survey import survey
from gmhooks.memory.targets import find_targets
from gmhooks.memory.views import FactView, Overview, Recalled, Remembered, view
from gmhooks.store.env import Store
from gmhooks.store.errors import StoreDenied, StoreError, StoreFull
from gmhooks.store.facts import pin, short_id
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import SHARED
from gmhooks.store.records import CONFIDENCES, SOURCES
from gmhooks.store.writer import save

CONFIDENCE_NAMES = CONFIDENCES[1:]
_WEIGHT_TOP = 0.5
_OUTCOMES = {"saved": "stored"}
_NOTES = {
    "invisible_removed": "Invisible characters were removed before saving.",
    "private_removed": "The parts marked <private> were not saved.",
}


class Memory:
    """The facts in one data directory.

    Every method may raise StoreError (missing, untrusted, damaged, newer, busy, full, denied: see its `code`), and
    ValueError for an argument that can never be right. Nothing stays open between calls, so one object may be kept.
    """

    def __init__(self, data_dir: str | os.PathLike[str], user_dir: str | os.PathLike[str]) -> None:
        self.data_dir = os.path.abspath(data_dir)
        self.user_dir = os.path.abspath(user_dir)

    def remember(
        self,
        agent_id: str,
        text: str,
        *,
        shared: bool = False,
        confidence: str | None = None,
        source: str = "cli",
    ) -> Remembered:
        """Save one fact durably. Refused (with its code) for an empty, too long or secret text."""
        owner = SHARED if shared else checked_agent_id(agent_id)
        level = _confidence(confidence)
        if source not in SOURCES:
            raise ValueError(f"unknown source {source!r}; one of {', '.join(SOURCES)}")
        admitted = admit(text)
        require_usable(self.data_dir, self.user_dir)
        entry = (owner, admitted.text, SOURCES.index(source), level)
        try:
            saved = save(self.data_dir, [entry], _now(), patient=True, user_dir=self.user_dir)[0]
        except OSError as error:
            raise _not_saved(error, self.data_dir) from None
        return Remembered(
            _OUTCOMES.get(saved.outcome, saved.outcome),
            encode(saved.id),
            saved.short_id,
            owner,
            admitted.text,
            tuple(_NOTES.get(code, code) for code in admitted.notes),
        )

    def recall(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
    ) -> Recalled:
        """Up to `top_k` facts (0 or less: 8) of one agent, best first; an empty query gives the newest."""
        question = _question(query, top_k, min_confidence, confidence_weight)
        with reading(self.data_dir, self.user_dir) as store:
            return ask_one(store, self.data_dir, checked_agent_id(agent_id), question, receipts=False)

    def recall_shared(
        self,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
    ) -> Recalled:
        """Like recall, over the facts every agent shares."""
        return self.recall(SHARED, query, top_k, min_confidence=min_confidence, confidence_weight=confidence_weight)

    def recall_all(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
    ) -> Recalled:
        """Like recall, over the agent's and the shared facts, fused by rank."""
        question = _question(query, top_k, min_confidence, confidence_weight)
        with reading(self.data_dir, self.user_dir) as store:
            return ask_both(store, self.data_dir, checked_agent_id(agent_id), question)

    def recall_explain(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
    ) -> Recalled:
        """Like recall, with one receipt a fact: ranks, scores, factor, provenance."""
        question = _question(query, top_k, min_confidence, confidence_weight)
        with reading(self.data_dir, self.user_dir) as store:
            return ask_one(store, self.data_dir, checked_agent_id(agent_id), question, receipts=True)

    def forget(self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False) -> Sequence[FactView]:
        """Retire the fact that `target` (id, whole text, text as shown) means in the first of these namespaces that has
        it, with every copy of its text; `ids_anywhere`: an id counts in any namespace. NotFound or Ambiguous."""

        def work(store: Store) -> list[FactView]:
            ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
            names = [short_id(store, fact) for fact in facts]
            retire_all(store, ns, facts)
            return [view(fact, ns.agent_id, name) for fact, name in zip(facts, names, strict=True)]

        return changing(self.data_dir, self.user_dir, work)

    def pin(self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False, on: bool = True) -> FactView:
        """Pin (or unpin) the fact that `target` means, found as `forget` finds it."""
        when = _now() if on else 0

        def work(store: Store) -> FactView:
            ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
            pin(store, facts[0], when)
            return view(facts[0], ns.agent_id, short_id(store, facts[0]))

        return changing(self.data_dir, self.user_dir, work)

    def overview(self) -> Overview | None:
        """Counts of every namespace; None for a prepared project without a store yet."""
        with reading(self.data_dir, self.user_dir) as store:
            return survey(store, self.data_dir, _now()) if store is not None else None

    def list(
        self, agent_id: str | None = None, *, retired: bool = False, limit: int | None = None
    ) -> Sequence[FactView]:
        """Facts newest first, of one agent or (None) of all; live ones, and with `retired` the others too."""
        with reading(self.data_dir, self.user_dir) as store:
            owner = None if agent_id is None else checked_agent_id(agent_id)
            return list_facts(store, self.data_dir, owner, retired=retired, limit=limit)

    def close(self) -> None:
        """Nothing to do: no call leaves anything open. Here so that callers may treat it like any resource."""


def _now() -> int:
    return now_us(dict(os.environb))


def _not_saved(error: OSError, data_dir: str) -> StoreError:
    """The typed error for a save that reached neither the store nor the spool."""
    kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreDenied
    return kind(f"{data_dir}: not saved ({error.strerror})")


def _confidence(name: str | None) -> int:
    if name is None:
        return 0
    if name not in CONFIDENCE_NAMES:
        raise ValueError(f"unknown confidence {name!r}; one of {', '.join(CONFIDENCE_NAMES)}")
    return CONFIDENCES.index(name)


def _question(query: str, top_k: int, least: str | None, weight: float | None) -> Question:
    _confidence(least)
    if weight is not None and (isinstance(weight, bool) or math.isnan(weight) or not 0 <= weight <= _WEIGHT_TOP):
        raise ValueError("the confidence weight must be a number from 0 to 0.5")
    return Question(query, top_k, least, weight, _now())
