"""Replacing, retiring, pinning: what a correction names, and what becomes of it, in one transaction."""

from __future__ import annotations

from gmhooks.hooks.targets import retire_all
from gmhooks.memory.adding import Draft
from gmhooks.memory.errors import AliasMeant, NotFound
from gmhooks.memory.targets import find_targets, live_or_retired
from gmhooks.store.aliases import add as add_alias
from gmhooks.store.aliases import pairs
from gmhooks.store.env import Store
from gmhooks.store.facts import add as add_fact
from gmhooks.store.facts import equals, pin, set_confidence
from gmhooks.store.namespaces import find
from gmhooks.store.records import KIND_ALIAS, Fact, Namespace

_UNVERIFIED, _INFERRED, _VERIFIED = 1, 2, 3


def update(store: Store, target: str, draft: Draft) -> tuple[Fact, list[Fact]]:
    """The fact that holds the draft's text now, and those it replaced. Without a confidence it gets the weakest of theirs,
    at most inferred; it is never pinned. NotFound, Ambiguous, or AliasMeant when a fact would replace an alias (write)."""
    ns, victims = meant(store, draft.agent_id, target)
    confidence = draft.confidence or min([_INFERRED, *[_effective(fact) for fact in victims]])
    kind = victims[0].kind
    if kind == KIND_ALIAS and not pairs(draft.text):
        raise AliasMeant("an alias is replaced by an alias, for it is never shown")
    ids = {fact.id for fact in victims}
    made = next((f for f in equals(store, ns, draft.text) if f.id not in ids and f.kind == kind), None)
    if made is None and kind == KIND_ALIAS:
        made = add_alias(store, ns, draft.text, draft.now_us, draft.source)
    elif made is None:
        made = add_fact(store, ns, draft.text, draft.now_us, draft.source, confidence)
    elif draft.confidence:
        set_confidence(store, made, confidence)
    retire_all(store, ns, victims, made.id)
    return made, victims


def forget(store: Store, agent_id: str, target: str) -> list[Fact]:
    """The facts that were retired: every live copy of what `target` means. NotFound or Ambiguous (write)."""
    ns, victims = meant(store, agent_id, target)
    retire_all(store, ns, victims)
    return victims


def set_pin(store: Store, agent_id: str, target: str, when_us: int) -> list[Fact]:
    """The facts that were pinned at `when_us`, or unpinned (0): every live copy; unpin also takes retired ones. NotFound,
    Ambiguous or AliasMeant (write)."""
    try:
        found = meant(store, agent_id, target)[1]
    except NotFound:
        found = [] if when_us else _retired(store, agent_id, target)
        if not found:
            raise
    require_pinnable(found[0])
    for fact in found:
        pin(store, fact, when_us)
    return found


def require_pinnable(fact: Fact) -> None:
    """AliasMeant for an alias."""
    if fact.kind == KIND_ALIAS:
        raise AliasMeant("an alias cannot be pinned: it is never shown")


def meant(store: Store, agent_id: str, target: str) -> tuple[Namespace, list[Fact]]:
    """The namespace and every live copy of the fact that `target` means there: its id, its text, the text as shown."""
    if find(store, agent_id) is None:
        raise NotFound("nothing is stored under this agent id")
    return find_targets(store, target, [agent_id], ids_anywhere=False)


def _retired(store: Store, agent_id: str, target: str) -> list[Fact]:
    ns = find(store, agent_id)
    if ns is None:
        return []
    return [fact for _, fact in live_or_retired(store, target, [ns])]


def _effective(fact: Fact) -> int:
    if not fact.confidence:
        return _INFERRED
    return fact.confidence if fact.confidence <= _VERIFIED else _UNVERIFIED
