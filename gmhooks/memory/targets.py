"""Which facts a correction means: fact id first, then the stored text, then the text as it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gmhooks.hooks.tame import tame
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, newest, short_id
from gmhooks.store.ids import SHORT
from gmhooks.store.namespaces import find, listed
from gmhooks.store.records import Fact, Namespace
from gmhooks.text.clean import clean, equal_key

_NEAR = 5


def find_targets(
    store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool
) -> tuple[Namespace, list[Fact]]:
    """The namespace and every live fact in it that `target` means; never part of a text. NotFound or Ambiguous."""
    by_number = {ns.number: ns for ns in listed(store)}
    spaces = [ns for ns in (find(store, agent_id) for agent_id in agent_ids) if ns is not None]
    named = _by_id(store, target, None if ids_anywhere else {ns.number for ns in spaces})
    if named is not None:
        return by_number[named.ns], [named]
    for same in (_stored_as(target), _shown_as(target)):
        for ns in spaces:
            facts = [fact for fact in newest(store, ns) if same(fact)]
            if facts:
                return ns, facts
    raise NotFound(_near(store, target, spaces))


def _stored_as(target: str) -> Callable[[Fact], bool]:
    key = equal_key(clean(target)[0])
    return lambda fact: equal_key(fact.text) == key


def _shown_as(target: str) -> Callable[[Fact], bool]:
    line = target.strip().removeprefix("- ")
    return lambda fact: tame(fact.text)[0] in (line, line.rpartition(" (via ")[0])


def _by_id(store: Store, target: str, numbers: set[int] | None) -> Fact | None:
    text = target.strip().strip("[]")
    found = [fact for fact in by_suffix(store, text) if numbers is None or fact.ns in numbers]
    live = [fact for fact in found if fact.live]
    if len(live) > 1:
        raise Ambiguous(f"{len(live)} facts have an id that ends in {text}: {_listing(store, live)}")
    if found and not live:
        raise NotFound(f"the fact {text} is already retired")
    return live[0] if live else None


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
