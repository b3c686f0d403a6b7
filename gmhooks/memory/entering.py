"""A fact as it moves between stores or namespaces: everything that is known of it, and how it enters."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.store.aliases import add as add_alias
from gmhooks.store.env import Store
from gmhooks.store.facts import add, pin, retire
from gmhooks.store.records import KIND_ALIAS, LIVE, Fact, Namespace
from gmhooks.store.touches import keep, of
from gmhooks.store.weights import set_weight, weight

WHOLE = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """One fact of one agent. Times are microseconds since 1970, 0 for never."""

    agent_id: str
    id: bytes
    text: str
    created_us: int
    source: int
    confidence: int = 0
    kind: int = 0
    pinned_us: int = 0
    superseded_by: bytes = LIVE
    recalls: int = 0
    recalled_us: int = 0
    weight: float = WHOLE


def row_of(store: Store, ns: Namespace, fact: Fact) -> Row:
    """All that a store knows of a fact."""
    recalls, recalled_us = of(store, ns.number, fact.doc)
    return Row(
        ns.agent_id, fact.id, fact.text, fact.created_us, fact.source, fact.confidence, fact.kind, fact.pinned_us,
        fact.superseded_by, recalls, recalled_us, weight(store, ns.number, fact.doc),
    )  # fmt: skip


def enter(store: Store, ns: Namespace, row: Row) -> Fact:
    """Store a row as a new fact with its own id and times (write). Rows in the order of time keep order."""
    if row.kind == KIND_ALIAS:
        fact = add_alias(store, ns, row.text, row.created_us, row.source, row.id)
    else:
        fact = add(store, ns, row.text, row.created_us, row.source, row.confidence, row.id, as_dated=True)
    note_use(store, ns, fact, row)
    if row.pinned_us:
        pin(store, fact, row.pinned_us)
    if row.superseded_by != LIVE:
        retire(store, ns, fact, row.superseded_by)
    return fact


def note_use(store: Store, ns: Namespace, fact: Fact, row: Row) -> bool:
    """Let the larger counts and the smaller weight hold; True if that changed anything (write)."""
    known = of(store, ns.number, fact.doc)
    use = max(known[0], row.recalls), max(known[1], row.recalled_us)
    lighter = row.weight < weight(store, ns.number, fact.doc)
    if use != known:
        keep(store, ns.number, fact.doc, *use)
    if lighter:
        set_weight(store, ns.number, fact.doc, row.weight)
    return use != known or lighter
