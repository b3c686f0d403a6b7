"""Counting what a store holds, for `graymatter status` and its JSON twin."""

from __future__ import annotations

import os

from gmhooks.memory.views import NamespaceCount, Overview
from gmhooks.recall.receipt import written_at
from gmhooks.store.env import Store
from gmhooks.store.facts import everything
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.marks import PINNED, marked
from gmhooks.store.namespaces import listed
from gmhooks.store.records import Namespace
from gmhooks.store.spool import pending
from gmhooks.store.touches import total, unfolded

_WEEK_US = 7 * 86_400 * 1_000_000


def survey(store: Store, data_dir: str, now_us: int) -> Overview:
    """Count every namespace of an open store, and what waits beside it."""
    recalls = total(store)
    for (number, _), (count, _) in unfolded(data_dir).items():
        recalls[number] = recalls.get(number, 0) + count
    return Overview(
        tuple(_count(store, ns, now_us - _WEEK_US, recalls.get(ns.number, 0)) for ns in listed(store)),
        len(pending(data_dir)),
        os.path.getsize(os.path.join(data_dir, DATA_NAME)),
        store.identity.schema,
        store.identity.store_id,
    )


def _count(store: Store, ns: Namespace, since_us: int, recalls: int) -> NamespaceCount:
    recent = 0
    for fact in everything(store, ns):
        if fact.created_us >= since_us:
            recent += 1
        elif ns.ordered:
            break
    return NamespaceCount(
        ns.agent_id,
        ns.live,
        ns.next_doc - ns.erased - ns.live - ns.aliases,
        sum(1 for _ in marked(store, ns.number, PINNED)),
        recent,
        written_at(ns.last_created_us) if ns.next_doc else None,
        ns.aliases,
        recalls,
    )
