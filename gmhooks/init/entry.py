"""One named server in a client's file, and the edit that adds, replaces or removes it. Bytes in, bytes out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Protocol

from gmhooks.init.ledger import Trace

CREATED, UPDATED, UNCHANGED, PRESERVED, REMOVED, ABSENT = (
    "created", "updated", "unchanged", "preserved", "removed", "absent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """The entry, where it goes, and what may be overwritten: entries we wrote earlier (``known``), or any (``replace``)."""

    table: str
    name: str
    value: dict[str, object]
    known: frozenset[str] = frozenset()
    replace: bool = False
    extra: dict[str, object] = field(default_factory=dict)

    def is_ours(self, value: object) -> bool:
        """Whether an entry is the wanted one or one that we wrote earlier and nobody changed."""
        return value == self.value or fingerprint(value) in self.known


@dataclass(frozen=True, slots=True)
class Edited:
    """The new bytes (None: no file), what that means, and what an exact removal will need to know."""

    data: bytes | None
    outcome: str
    trace: Trace = field(default_factory=Trace)


class Editor(Protocol):
    """One dialect. Both may raise Refusal."""

    def put(self, data: bytes | None, wanted: Wanted, before: Trace | None) -> Edited:
        """Add the entry; ``before`` is the trace of an earlier run."""

    def take(self, data: bytes | None, wanted: Wanted, trace: Trace) -> Edited:
        """Remove it, unless it is not ours."""


def fingerprint(value: object) -> str:
    """A hash of an entry's value that does not depend on its layout."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
