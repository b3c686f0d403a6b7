"""Which facts go into a context block, best first: pinned, verified, then by weight, older first."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.memory.access import reading
from gmhooks.store.facts import newest
from gmhooks.store.namespaces import find, listed
from gmhooks.store.records import CONFIDENCES, KIND_ALIAS
from gmhooks.store.spool import pending
from gmhooks.store.weights import weight

_VERIFIED = CONFIDENCES.index("verified")


@dataclass(frozen=True, slots=True)
class _Ranked:
    order: tuple[bool, bool, float, int, bytes]
    text: str
    source: int


def best_first(data_dir: str, user_dir: str, agent_id: str | None = None) -> list[tuple[str, int]]:
    """(text, source) of the live facts of one agent or (None) of all. StoreError if the store may not be used."""
    rows: list[_Ranked] = []
    with reading(data_dir, user_dir) as store:
        spaces = []
        if store is not None:
            spaces = listed(store) if agent_id is None else [ns for ns in [find(store, agent_id)] if ns is not None]
        for ns in spaces:
            assert store is not None
            for fact in newest(store, ns):
                if fact.kind != KIND_ALIAS:
                    value = weight(store, ns.number, fact.doc)
                    order = (not fact.pinned, fact.confidence != _VERIFIED, -value, fact.created_us, fact.id)
                    rows.append(_Ranked(order, fact.text, fact.source))
    for spooled in pending(data_dir):
        if agent_id in (None, spooled.agent_id):
            order = (True, spooled.confidence != _VERIFIED, -1.0, spooled.created_us, spooled.id)
            rows.append(_Ranked(order, spooled.text, spooled.source))
    rows.sort(key=lambda row: row.order)
    return [(row.text, row.source) for row in rows]
