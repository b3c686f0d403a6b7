"""Taking back the last save that a person made in a project, with what it had replaced, or the last forgetting."""

from __future__ import annotations

from collections.abc import Sequence

from gmhooks.hooks.targets import retire_all
from gmhooks.memory.errors import NotFound
from gmhooks.store.aliases import enter
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, everything, find_equal, revive, short_id
from gmhooks.store.forgotten import drop, last
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import find, listed
from gmhooks.store.records import CLI, KIND_ALIAS, RETIRED, USER, Fact, Namespace

_BY_A_PERSON = (USER, CLI)


def bring_back(store: Store, agent_ids: Sequence[str] | None) -> tuple[Namespace, list[Fact]] | None:
    """The namespace and the facts of the last forgetting (or of the last revision, if it saved nothing because its text was
    there already), which live again, wherever they are; None when a person saved something in these namespaces (None:
    anywhere) since, or when there is nothing to bring back (write)."""
    when_us, ids = last(store)
    save = _last_save(store, agent_ids)
    found = [fact for fact_id in ids for fact in by_suffix(store, encode(fact_id)) if not fact.live]
    ns = next((ns for ns in listed(store) if found and ns.number == found[0].ns), None)
    if ns is None or (save is not None and save[1].created_us > when_us) or find_equal(store, ns, found[0].text):
        return None
    _let_live(store, ns, found)
    drop(store, ids)
    return ns, found


def undo(store: Store, agent_ids: Sequence[str] | None) -> tuple[Namespace, Fact, list[Fact]]:
    """(namespace, the fact that was retired, those it had replaced and that live again) of the last save by prompt or
    command line in these namespaces (None: in all). NotFound when there is none, or when it was retired or revised since
    (write)."""
    save = _last_save(store, agent_ids)
    if save is None:
        raise NotFound("nothing was saved here by a person")
    ns, fact = save
    if not fact.live:
        became = "retired" if fact.superseded_by == RETIRED else "replaced"
        raise NotFound(f"the last save [{short_id(store, fact)}] was already {became}; there is nothing to undo")
    retire_all(store, ns, [fact])
    replaced = [old for old in everything(store, ns) if old.superseded_by == fact.id]
    _let_live(store, ns, replaced)
    return ns, fact, replaced


def newer_save(store: Store, agent_ids: Sequence[str] | None) -> tuple[Namespace, Fact] | None:
    """The last live save by a person in the store, where that is a fact of none of these namespaces (read)."""
    save = _last_save(store, None)
    if save is None or agent_ids is None or save[0].agent_id in agent_ids or not save[1].live:
        return None
    return save


def _let_live(store: Store, ns: Namespace, facts: list[Fact]) -> None:
    for fact in facts:
        revive(store, ns, fact)
        if fact.kind == KIND_ALIAS:
            enter(store, ns, fact.text)


def _last_save(store: Store, agent_ids: Sequence[str] | None) -> tuple[Namespace, Fact] | None:
    found = listed(store) if agent_ids is None else [find(store, agent_id) for agent_id in agent_ids]
    spaces = [ns for ns in found if ns is not None]
    saves = [(ns, fact) for ns in spaces for fact in [_last(store, ns)] if fact is not None]
    return max(saves, key=lambda save: (save[1].created_us, save[1].id), default=None)


def _last(store: Store, ns: Namespace) -> Fact | None:
    found = None
    for fact in everything(store, ns):
        if fact.source in _BY_A_PERSON and (found is None or (fact.created_us, fact.id) > (found.created_us, found.id)):
            found = fact
            if ns.ordered:
                break
    return found
