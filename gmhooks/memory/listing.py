"""Every fact of one namespace or of all, newest first, with the saves that wait to enter the store."""

from __future__ import annotations

from collections.abc import Iterator

from gmhooks.memory.views import FactView, view, waiting_view
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, everything, get, newest, short_id
from gmhooks.store.ids import encode
from gmhooks.store.marks import ALIAS, marked
from gmhooks.store.namespaces import find, listed
from gmhooks.store.records import KIND_ALIAS, Fact, Namespace
from gmhooks.store.spool import Spooled, pending


def list_facts(
    store: Store | None, data_dir: str, agent_id: str | None, *, retired: bool, limit: int | None, aliases: bool = False
) -> list[FactView]:
    """At most `limit` facts, of one agent or (None) of all, or its aliases instead, which are vocabulary and no facts."""
    waiting = [spooled for spooled in pending(data_dir) if not aliases and agent_id in (None, spooled.agent_id)]
    if store is None:
        return [waiting_view(spooled) for spooled in waiting[::-1]][:limit]
    rows: list[tuple[Fact | Spooled, str]] = []
    for ns in _spaces(store, agent_id):
        rows += [(fact, ns.agent_id) for fact in _facts(store, ns, retired=retired, aliases=aliases)]
    rows += [(spooled, spooled.agent_id) for spooled in waiting if not by_suffix(store, encode(spooled.id))]
    rows.sort(key=lambda row: (-row[0].created_us, row[0].id))
    return [_view(store, fact, owner) for fact, owner in rows[:limit]]


def _spaces(store: Store, agent_id: str | None) -> list[Namespace]:
    if agent_id is None:
        return listed(store)
    one = find(store, agent_id)
    return [one] if one is not None else []


def _facts(store: Store, ns: Namespace, *, retired: bool, aliases: bool) -> Iterator[Fact]:
    if aliases:
        found = (get(store, ns.number, doc) for doc in marked(store, ns.number, ALIAS))
        return (fact for fact in found if fact is not None)
    if not retired:
        return newest(store, ns)
    return (fact for fact in everything(store, ns) if fact.kind != KIND_ALIAS)


def _view(store: Store, fact: Fact | Spooled, owner: str) -> FactView:
    if isinstance(fact, Spooled):
        return waiting_view(fact)
    return view(fact, owner, short_id(store, fact))
