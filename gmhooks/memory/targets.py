"""Which facts a correction means: fact id first, then the stored text, then the text as it was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gmhooks.hooks.tame import tame
from gmhooks.hooks.targets import meant
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, everything, newest, short_id, successor
from gmhooks.store.ids import SHORT
from gmhooks.store.namespaces import find, listed
from gmhooks.store.records import Fact, Namespace
from gmhooks.text.clean import clean, equal_key

_NEAR = 5
_EVERY = -1


def find_targets(
    store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool
) -> tuple[Namespace, list[Fact]]:
    """The namespace and every live fact in it that `target` means; never part of a text. NotFound or Ambiguous."""
    spaces = [ns for ns in (find(store, agent_id) for agent_id in agent_ids) if ns is not None]
    others = [ns for ns in listed(store) if ids_anywhere and ns.agent_id not in agent_ids]
    groups = meant(store, spaces, target, _EVERY, others)
    if len(groups) > 1:
        named = [facts[0] for _, facts in groups]
        raise Ambiguous(f"{len(groups)} facts have an id that ends in {target.strip()}: {_listing(store, named)}")
    if groups:
        return groups[0]
    raise NotFound(_retired(store, target, spaces) or _near(store, target, spaces))


def live_or_retired(
    store: Store, target: str, spaces: Sequence[Namespace], elsewhere: Sequence[Namespace] = ()
) -> list[tuple[Namespace, Fact]]:
    """Facts, live or not, whose id the target ends, else those of `spaces` with this text; an id also counts `elsewhere`."""
    by_number = {ns.number: ns for ns in [*elsewhere, *spaces]}
    named = by_suffix(store, target.strip().removeprefix("- ").strip("[]` "))
    found = [(by_number[fact.ns], fact) for fact in named if fact.ns in by_number]
    if found:
        return found
    key = equal_key(clean(target)[0])
    return [(ns, fact) for ns in spaces for fact in everything(store, ns) if equal_key(fact.text) == key]


def _retired(store: Store, target: str, spaces: list[Namespace]) -> str:
    """What became of the fact that has this id or text but is not live; "" if there is none."""
    found = live_or_retired(store, target, spaces)
    for _, fact in found:
        heir = successor(store, fact)
        if heir is not None:
            return f"that fact is already superseded by {_listing(store, [heir])}"
    return "that fact is already retired" if found else ""


def _near(store: Store, target: str, spaces: list[Namespace]) -> str:
    folded = target.casefold()
    near = [fact for ns in spaces for fact in _first(newest(store, ns), folded)] if len(target) >= SHORT // 2 else []
    if not near:
        return "no fact has that id or text"
    return f"no fact has that id or exactly that text; these contain it: {_listing(store, near)}"


def _first(facts: Iterator[Fact], folded: str) -> Iterator[Fact]:
    left = _NEAR
    for fact in facts:
        if left and folded in fact.text.casefold():
            left -= 1
            yield fact


def _listing(store: Store, facts: list[Fact]) -> str:
    return "; ".join(f"[{short_id(store, fact)}] {tame(fact.text)[0][:80]}" for fact in facts[:_NEAR])
