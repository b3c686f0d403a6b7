"""What the library and the verbs hand out: plain values, complete and independent of any open store."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.recall.receipt import written_at
from gmhooks.store.ids import SHORT, encode
from gmhooks.store.records import CONFIDENCES, LIVE, RETIRED, SOURCES, Fact
from gmhooks.store.spool import Spooled


@dataclass(frozen=True, slots=True)
class FactView:
    """One fact as stored. `superseded_by` is None for live facts, "agent" for retired ones without a successor.

    `waiting`: durable on disk, but not in the store yet."""

    id: str
    short_id: str
    agent_id: str
    text: str
    created_at: str
    source: str
    confidence: str
    pinned: bool
    superseded_by: str | None
    waiting: bool = False

    @property
    def live(self) -> bool:
        """Neither superseded nor retired."""
        return self.superseded_by is None

    def as_object(self) -> dict[str, object]:
        """The keys of one fact in JSON answers; `confidence` and `superseded_by` are left out when empty."""
        body: dict[str, object] = {
            "id": self.id,
            "short_id": self.short_id,
            "agent_id": self.agent_id,
            "text": self.text,
            "created_at": self.created_at,
            "source": self.source,
            "pinned": self.pinned,
        }
        if self.confidence:
            body["confidence"] = self.confidence
        if self.superseded_by is not None:
            body["superseded_by"] = self.superseded_by
        if self.waiting:
            body["waiting"] = True
        return body


@dataclass(frozen=True, slots=True)
class Remembered:
    """Outcome of a save: "stored", "duplicate" (an equal fact was live), "spooled" (durable, the next writer stores it).

    `reason`: the code of what kept a spooled one out of the store ("busy", "store_damaged" …); "" otherwise."""

    outcome: str
    id: str
    short_id: str
    agent_id: str
    text: str
    notes: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """Ranked facts of one question, best first; `receipts` only when asked for, one per fact.

    `matches` says of each fact whether it fits the question; the others fill up to the limit."""

    scope: str
    query: str
    facts: tuple[FactView, ...]
    receipts: tuple[dict[str, object], ...]
    retrieval: dict[str, object] | None
    matches: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """The facts of several questions: merged, each text once, and those of each question, best first."""

    merged: tuple[FactView, ...]
    per_query: tuple[tuple[FactView, ...], ...]


@dataclass(frozen=True, slots=True)
class NamespaceCount:
    """How much one namespace holds."""

    agent_id: str
    live: int
    retired: int
    pinned: int
    written_7_days: int
    newest_at: str | None
    aliases: int = 0
    recalls: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """What a store holds, as one reader saw it."""

    namespaces: tuple[NamespaceCount, ...]
    pending: int
    size_bytes: int
    schema: int
    store_id: str


def view(fact: Fact, agent_id: str, short_id: str) -> FactView:
    """The public value of a stored fact."""
    superseded = None if fact.superseded_by == LIVE else "agent"
    if fact.superseded_by not in (LIVE, RETIRED):
        superseded = encode(fact.superseded_by)
    return FactView(
        encode(fact.id), short_id, agent_id, fact.text, written_at(fact.created_us),
        _name(SOURCES, fact.source), _name(CONFIDENCES, fact.confidence), fact.pinned, superseded,
    )  # fmt: skip


def waiting_view(spooled: Spooled) -> FactView:
    """The public value of a save that is durable but not in the store yet."""
    name = encode(spooled.id)
    return FactView(
        name, name[-SHORT:], spooled.agent_id, spooled.text, written_at(spooled.created_us),
        _name(SOURCES, spooled.source), _name(CONFIDENCES, spooled.confidence), False, None, waiting=True,
    )  # fmt: skip


def _name(names: tuple[str, ...], index: int) -> str:
    return names[index] if index < len(names) else f"unknown {index}"
