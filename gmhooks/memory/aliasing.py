"""Vocabulary: recording that a term and other words mean the same."""

from __future__ import annotations

from gmhooks.memory.adding import Draft
from gmhooks.store.aliases import add as add_alias_fact
from gmhooks.store.env import Store
from gmhooks.store.facts import equals
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import KIND_ALIAS, Fact


def alias_text(term: str, equivalents: list[str]) -> str:
    """The stored form of an alias."""
    return f"alias: {term.strip()} = {', '.join(equivalents)}"


def add_alias(store: Store, draft: Draft) -> Fact:
    """The live alias fact with the draft's text, made unless it is there (write)."""
    ns = ensure(store, draft.agent_id)
    for known in equals(store, ns, draft.text):
        if known.kind == KIND_ALIAS:
            return known
    return add_alias_fact(store, ns, draft.text, draft.now_us, draft.source)
