"""Entering one admitted text into a namespace, once."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.store.env import Store
from gmhooks.store.facts import add as add_fact
from gmhooks.store.facts import equals, set_confidence
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import KIND_ALIAS, Fact
from gmhooks.store.spellings import due, fold


@dataclass(frozen=True, slots=True)
class Draft:
    """What to store: an admitted text, who writes it, and its confidence as stored (0: none given)."""

    agent_id: str
    text: str
    source: int
    confidence: int
    now_us: int


def add(store: Store, draft: Draft) -> tuple[Fact, bool]:
    """The fact that now holds the text, and whether it is new. An equal live fact is kept and takes an explicit
    confidence (write)."""
    ns = ensure(store, draft.agent_id)
    for known in equals(store, ns, draft.text):
        if known.kind != KIND_ALIAS:
            if draft.confidence and known.confidence != draft.confidence:
                set_confidence(store, known, draft.confidence)
            return known, False
    made = add_fact(store, ns, draft.text, draft.now_us, draft.source, draft.confidence)
    if due(store, ns):
        fold(store)
    return made, True
