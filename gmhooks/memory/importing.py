"""Entering exported facts into a store: whole or not at all, and once however often it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gmhooks.hooks.targets import retire_all
from gmhooks.memory.entering import Row, enter, note_use
from gmhooks.memory.errors import NotFound
from gmhooks.memory.transfer import Malformed
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, equals, pin
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import ensure, find, listed
from gmhooks.store.records import LIVE, Fact


@dataclass(slots=True)
class Imported:
    """What an import did: facts that are new, that took over a retirement, pin or count, that were the same already, and
    that a live fact of another id says already (left out). `added_under`: how many are new under each agent id."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    duplicates: int = 0
    added_under: dict[str, int] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether the store is different now."""
        return self.added + self.updated > 0


def enter_rows(store: Store, numbered: list[tuple[int, Row]]) -> Imported:
    """Enter rows, given in the order of time with their line numbers (write). Malformed when an id is taken by another
    fact, or by the same one under another agent id; the transaction must then be given up."""
    _check_ids(store, numbered)
    outcome = Imported()
    known = {row.id: _said_by_another(store, row) for _, row in numbered}
    for _, row in numbered:
        fact = _stored(store, row)
        if fact is not None:
            changed = _catch_up(store, fact, row)
            outcome.updated += changed
            outcome.unchanged += not changed
        elif known[row.id]:
            outcome.duplicates += 1
        else:
            enter(store, ensure(store, row.agent_id), row)
            outcome.added += 1
            outcome.added_under[row.agent_id] = outcome.added_under.get(row.agent_id, 0) + 1
    return outcome


def under_new_ids(numbered: list[tuple[int, Row]], renamed: Mapping[str, str]) -> list[tuple[int, Row]]:
    """The same rows, those of a renamed agent id under its new one. NotFound for an old id that no row has."""
    held = {row.agent_id for _, row in numbered}
    named = ", ".join(map(repr, sorted(held))) or "nobody"
    for old in renamed:
        if old not in held:
            raise NotFound(f"no fact of these is one of {old!r}; they are of {named}")
    return [(number, replace(row, agent_id=renamed.get(row.agent_id, row.agent_id))) for number, row in numbered]


def _stored(store: Store, row: Row) -> Fact | None:
    found = by_suffix(store, encode(row.id))
    return found[0] if found else None


def _check_ids(store: Store, numbered: list[tuple[int, Row]]) -> None:
    owners = {ns.number: ns.agent_id for ns in listed(store)}
    problems: list[tuple[int, str]] = []
    moved: dict[int, tuple[str, str]] = {}
    for number, row in numbered:
        fact = _stored(store, row)
        if fact is None:
            continue
        owner = owners[fact.ns]
        if (fact.text, fact.kind) != (row.text, row.kind):
            problems.append((number, "another fact of the store has this id"))
        elif owner != row.agent_id:
            problems.append((number, f"this fact of {row.agent_id} is here already, as one of {owner}"))
            moved[number] = row.agent_id, owner
    if problems:
        raise Malformed(problems, moved)


def _said_by_another(store: Store, row: Row) -> bool:
    """Whether a fact that was live before the import says the same, which makes a live row superfluous."""
    ns = find(store, row.agent_id)
    if ns is None or row.superseded_by != LIVE:
        return False
    return any(fact.kind == row.kind and fact.id != row.id for fact in equals(store, ns, row.text))


def _catch_up(store: Store, fact: Fact, row: Row) -> bool:
    """Let a known fact take over what happened to it elsewhere; retirement is never taken back."""
    ns = ensure(store, row.agent_id)
    changed = note_use(store, ns, fact, row)
    if row.pinned_us and fact.live and not fact.pinned:
        pin(store, fact, row.pinned_us)
        changed = True
    if row.superseded_by != LIVE and fact.live:
        retire_all(store, ns, [fact], row.superseded_by)
        changed = True
    return changed
