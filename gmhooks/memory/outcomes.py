"""What the library's changing calls answer: plain values, complete and independent of any open store."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.memory.views import FactView


@dataclass(frozen=True, slots=True)
class Revised:
    """A revision: the fact that holds now, and the ones it replaced (as they were). `notes` as in `Remembered`."""

    fact: FactView
    replaced: tuple[FactView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The save that was taken back, and facts that it had replaced and that are live again."""

    fact: FactView
    restored: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class Purged:
    """What was erased; where else the same text is stored; what no program can reach from here; bytes the file shrank."""

    facts: tuple[FactView, ...]
    also_at: tuple[str, ...]
    out_of_reach: tuple[str, ...]
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class Consolidated:
    """One namespace after consolidation: how many facts weigh less, which were erased."""

    agent_id: str
    lighter: int
    pruned: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """One checkpoint: where a session stood. `body` is its JSON object, usually with `state` and `metadata`."""

    id: str
    short_id: str
    created_at: str
    body: dict[str, object]
