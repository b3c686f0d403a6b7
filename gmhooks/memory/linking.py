"""Links that agents draw between two names, with the facts that speak for them."""

from __future__ import annotations

from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, equals
from gmhooks.store.namespaces import find
from gmhooks.store.nodes import Edge, link

RELATION = "agent_link"


def link_names(store: Store, agent_id: str, source: str, target: str, now_us: int) -> Edge:
    """The edge between two names (write). Where a name is a live fact's id or text, that fact becomes its receipt."""
    ns = find(store, agent_id)
    receipts: list[bytes] = []
    for name in (source, target):
        if ns is not None:
            facts = [*by_suffix(store, name.strip()), *equals(store, ns, name)]
            receipts += [fact.id for fact in facts if fact.live and fact.ns == ns.number]
    return link(store, source, target, RELATION, now_us, receipts)
