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
    """The save that was taken back (None: it was a forgetting), and facts that are live again: what the save had replaced,
    or what was forgotten. `newer`: a later save by a person that stays, because its agent id was not asked for."""

    fact: FactView | None
    restored: tuple[FactView, ...]
    newer: FactView | None = None


@dataclass(frozen=True, slots=True)
class Purged:
    """What was erased; files that were removed because they held the text; other agents that store it too; what no program
    can reach from here; bytes the store's file shrank; checkpoints and audit entries in which the text was blanked."""

    facts: tuple[FactView, ...]
    removed: tuple[str, ...]
    also_at: tuple[str, ...]
    out_of_reach: tuple[str, ...]
    saved_bytes: int
    changed: tuple[str, ...]


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
