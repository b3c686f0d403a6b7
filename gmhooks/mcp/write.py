"""memory_add and memory_alias, and the one way by which a server stores a fact."""

from __future__ import annotations

from gmhooks.hooks.admit import admit
from gmhooks.mcp.answers import Answer
from gmhooks.mcp.texts import line
from gmhooks.mcp.validate import agent_id, equivalents, label, required
from gmhooks.memory.adding import Draft
from gmhooks.memory.adding import add as add_fact
from gmhooks.memory.aliasing import add_alias, alias_text
from gmhooks.store.audit import record
from gmhooks.store.errors import StoreError
from gmhooks.store.ids import encode
from gmhooks.store.records import CONFIDENCES, MCP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.place import Place
    from gmhooks.store.env import Store

_NOTES = {
    "invisible_removed": "invisible characters were removed",
    "private_removed": "the parts marked <private> were left out",
}
_WAITING = {
    "busy": "another process is writing",
    "store_damaged": "it is damaged: ask the user to run `graymatter doctor --repair`",
    "disk_full": "there is no room: ask the user to free some",
    "schema_newer": "it is of a newer version: ask the user to upgrade gmhooks",
}


def add(place: Place, given: dict[str, Any]) -> Answer:
    """Store one fact; it is durable when the answer leaves."""
    made, notes = draft(place, agent_id(given), required(given, "text"), label(given, "confidence"))
    stored = store_fact(place, made)
    body: dict[str, Any] = {"agent_id": made.agent_id, "stored": True}
    if "confidence" in given:
        body |= {"fact_id": stored.id, "confidence": given["confidence"]}
    said = "Remembered" if stored.new else "Already remembered"
    told = [f"{said} for agent {line(made.agent_id)!r}: {line(made.text)[:200]}", *notes, *stored.notes]
    return Answer("; ".join(told), body)


def alias(place: Place, given: dict[str, Any]) -> Answer:
    """Store that a term and other words mean the same."""
    owner = agent_id(given)
    term, words = required(given, "term").strip(), equivalents(given)
    made, _ = draft(place, owner, alias_text(term, words), None)
    place.change(lambda store: add_alias(store, made))
    body = {"agent_id": owner, "term": term, "equivalents": words, "stored": True}
    return Answer(f"Searches of agent {line(owner)!r} for {line(term)!r} now find {line(', '.join(words))} too", body)


def draft(place: Place, owner: str, text: str, confidence: str | None) -> tuple[Draft, list[str]]:
    """What will be stored, and what was taken out of it. Raises Refused."""
    admitted = admit(text)
    level = CONFIDENCES.index(confidence) if confidence else 0
    notes = [_NOTES.get(code, code) for code in admitted.notes]
    return Draft(owner, admitted.text, MCP, level, place.now_us()), notes


class Stored:
    """What became of a fact: its id, whether it is new, and what to say of one that has to wait for the store."""

    __slots__ = ("id", "new", "notes")

    def __init__(self, fact_id: str, *, new: bool, notes: tuple[str, ...] = ()) -> None:
        self.id = fact_id
        self.new = new
        self.notes = notes


def store_fact(place: Place, made: Draft, audit: bytes = b"") -> Stored:
    """Store it; a store that cannot take it now gets it from the spool later.

    `audit`: an entry of the audit trail, written in the same transaction. Raises StoreError when even the spool failed."""

    def work(store: Store) -> Stored:
        fact, new = add_fact(store, made)
        if audit:
            record(store, audit, made.now_us)
        return Stored(encode(fact.id), new=new)

    try:
        return place.change(work)
    except StoreError as error:
        entry = made.agent_id, made.text, made.source, made.confidence
        fact_id = encode(place.put_aside(entry, audit, error))
        why = _WAITING.get(error.code, error.code)
        return Stored(fact_id, new=True, notes=(f"kept safely until the store can take it ({why})",))
