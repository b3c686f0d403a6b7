"""What became of one text, and what a surface shows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.corpus.answers import fact_lines
from tests.corpus.launch import Ran
from tests.corpus.world import World


@dataclass(frozen=True)
class SeenFact:
    """Everything observed while a text arrived; `facts` are all live facts afterwards."""

    world: World
    text: str
    via: str
    ran: Ran
    before: dict[str, tuple[int, int, int]]
    after: dict[str, tuple[int, int, int]]
    facts: list[dict[str, Any]]
    receipts: list[dict[str, Any]]

    @property
    def codes(self) -> list[str]:
        return [str(line.get("code", "")) for line in self.receipts]


@dataclass(frozen=True)
class Rendered:
    """One surface's output: its bytes, the text the model sees, and the text of each fact line."""

    out: bytes
    text: str
    lines: list[str]
    hook: bool

    @classmethod
    def of_hook(cls, out: bytes, context: str) -> Rendered:
        return cls(out, context, fact_lines(context), hook=True)

    @classmethod
    def of_block(cls, data: bytes) -> Rendered:
        text = data.decode("utf-8", "replace")
        return cls(data, text, [line[2:] for line in text.split("\n") if line.startswith("- ")], hook=False)
