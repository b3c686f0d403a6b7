"""Taking back the last save that a person made in a project, with what it had replaced."""

from __future__ import annotations

from collections.abc import Sequence

from gmhooks.hooks.targets import retire_all
from gmhooks.memory.errors import NotFound
from gmhooks.store.env import Store
from gmhooks.store.facts import everything, revive, short_id
from gmhooks.store.namespaces import find
from gmhooks.store.records import CLI, KIND_ALIAS, RETIRED, USER, Fact, Namespace

_BY_A_PERSON = (USER, CLI)


def undo(store: Store, agent_ids: Sequence[str]) -> tuple[Namespace, Fact, list[Fact]]:
    """(namespace, the fact that was retired, those it had replaced and that live again) of the last save by prompt or
    command line in these namespaces. NotFound when there is none, or when it was retired or revised since (write)."""
    spaces = [ns for ns in (find(store, agent_id) for agent_id in agent_ids) if ns is not None]
    saves = [(fact.created_us, fact.id, ns, fact) for ns in spaces for fact in [_last(store, ns)] if fact is not None]
    if not saves:
        raise NotFound("nothing was saved here by a person")
    _, _, ns, fact = max(saves, key=lambda save: save[:2])
    if not fact.live:
        became = "retired" if fact.superseded_by == RETIRED else "replaced"
        raise NotFound(f"the last save [{short_id(store, fact)}] was already {became}; there is nothing to undo")
    retire_all(store, ns, [fact])
    replaced = [old for old in everything(store, ns) if old.superseded_by == fact.id and old.kind != KIND_ALIAS]
    for old in replaced:
        revive(store, ns, old)
    return ns, fact, replaced


def _last(store: Store, ns: Namespace) -> Fact | None:
    found = None
    for fact in everything(store, ns):
        if fact.source in _BY_A_PERSON and (found is None or (fact.created_us, fact.id) > (found.created_us, found.id)):
            found = fact
            if ns.ordered:
                break
    return found
