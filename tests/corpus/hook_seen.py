"""What was observed about one run of a hook case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.corpus.launch import Ran
from tests.corpus.world import World


@dataclass
class Seen:
    """Everything that was observed about one run of a case."""

    world: World
    event: str
    runs: list[Ran]
    before: dict[str, tuple[int, int, int]]
    after: dict[str, tuple[int, int, int]]
    receipts: list[dict[str, Any]]
    saved: list[dict[str, Any]] = field(default_factory=list)
    drained: list[dict[str, Any]] = field(default_factory=list)
    spool_bytes: bytes = b""
    store_changed: bool = False
    second: SecondRun | None = None

    @property
    def ran(self) -> Ran:
        return self.runs[-1]

    @property
    def codes(self) -> list[str]:
        return [str(line.get("code", "")) for line in self.receipts]


@dataclass(frozen=True)
class SecondRun:
    """The same save again, in healthy surroundings."""

    facts: list[str]
    store_problems: str
