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


def add(place: Place, given: dict[str, Any]) -> Answer:
    """Store one fact; it is durable when the answer leaves."""
    made, notes = draft(place, agent_id(given), required(given, "text"), label(given, "confidence"))
    fact_id, new = store_fact(place, made)
    body: dict[str, Any] = {"agent_id": made.agent_id, "stored": True}
    if "confidence" in given:
        body |= {"fact_id": fact_id, "confidence": given["confidence"]}
    said = "Remembered" if new else "Already remembered"
    return Answer("; ".join([f"{said} for agent {line(made.agent_id)!r}: {line(made.text)[:200]}", *notes]), body)


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


def store_fact(place: Place, made: Draft, audit: bytes = b"") -> tuple[str, bool]:
    """(id, whether it is new) of the stored fact; a store that cannot take it now gets it from the spool later.

    `audit`: an entry of the audit trail, written in the same transaction. Raises StoreError when even the spool failed."""

    def work(store: Store) -> tuple[str, bool]:
        fact, new = add_fact(store, made)
        if audit:
            record(store, audit, made.now_us)
        return encode(fact.id), new

    try:
        return place.change(work)
    except StoreError as error:
        entry = made.agent_id, made.text, made.source, made.confidence
        return encode(place.put_aside(entry, audit, error)), True
