"""A project that was renamed keeps its memory: the facts of the old namespace move into the new one."""

from __future__ import annotations

from itertools import pairwise

from gmhooks.memory.entering import enter, row_of
from gmhooks.memory.errors import NotFound
from gmhooks.memory.learning import move as move_evidence
from gmhooks.store.aliases import rebuild
from gmhooks.store.checkpoints import move as move_checkpoints
from gmhooks.store.env import Store
from gmhooks.store.facts import erase, everything
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.namespaces import save as save_namespace
from gmhooks.store.records import LIVE, Fact, Namespace


def adopt(store: Store, old_id: str, agent_id: str) -> tuple[int, int]:
    """(facts, checkpoints) that moved from the namespace of `old_id` to that of `agent_id`, with ids, times, pins,
    revisions and counts; (0, 0) when they moved before. NotFound for an unknown old id (write).

    Fact numbers are given anew in the order of time: the access journal, which has the old ones, must be folded before.
    """
    old = find(store, old_id)
    if old is None:
        raise NotFound(f"nothing was ever stored under {old_id!r}")
    if old_id == agent_id:
        raise ValueError("a namespace cannot adopt itself")
    new = ensure(store, agent_id)
    moved = list(everything(store, old))
    if moved:
        _merge(store, old, new, moved)
    move_evidence(store, old, new)
    return len(moved), move_checkpoints(store, old, new)


def _merge(store: Store, old: Namespace, new: Namespace, moved: list[Fact]) -> None:
    rows = [row_of(store, old, fact) for fact in moved]
    kept = list(everything(store, new))
    if not _follows(new, moved):
        rows += [row_of(store, new, fact) for fact in kept]
        for fact in kept:
            erase(store, new, fact)
        _begin_anew(store, new)
    for fact in moved:
        erase(store, old, fact)
    for ns in (old, new):
        rebuild(store, ns)
    for row in sorted(rows, key=lambda row: (row.created_us, row.id)):
        enter(store, new, row)


def _follows(new: Namespace, moved: list[Fact]) -> bool:
    """Whether the facts can be appended without breaking the order of time."""
    marks = sorted([(fact.created_us, fact.id) for fact in moved])
    ids_rise = all(a[1] < b[1] for a, b in pairwise(marks))
    return new.ordered and ids_rise and marks[0] > (new.last_created_us, new.last_id) and marks[0][1] > new.last_id


def _begin_anew(store: Store, ns: Namespace) -> None:
    ns.next_doc = ns.live = ns.aliases = ns.erased = 0
    ns.ordered = True
    ns.last_created_us = 0
    ns.last_id = LIVE
    save_namespace(store, ns)
