"""How many postings a prompt reads: the engine's own reader with a counter in it."""

from __future__ import annotations

import time

from benchmarks.hook_latency.cases import Case
from gmhooks.hooks.prompt import MOST_TERMS
from gmhooks.recall.engine import recall
from gmhooks.recall.gate import DEPTH
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.layout import POSTINGS
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.pages import Pages
from gmhooks.text.tokens import query_terms


class _Counting(Pages):
    """Pages that count the postings they hand out."""

    __slots__ = ("postings",)

    def __init__(self, path: str) -> None:
        self.postings = 0
        super().__init__(path)

    def packed(self, name: bytes, keys: list[bytes]) -> list[list[int]]:
        found = super().packed(name, keys)
        self.postings += sum(map(len, found)) if name == POSTINGS else 0
        return found


def postings(case: Case, numbers: range) -> list[int]:
    """Postings read for each of these runs' prompts, of the project and of shared memory, as the prompt hook asks."""
    taken = []
    for number in numbers:
        pages = _Counting(f"{case.stage.data_dir}/{DATA_NAME}")
        try:
            names = query_terms(str(case.payload(number)["prompt"]), MOST_TERMS)
            for agent_id in (case.stage.project.name, SHARED):
                recall(pages, find(pages, agent_id), names, time.time_ns() // 1_000, DEPTH, fill=False)
            taken.append(pages.postings)
        finally:
            pages.close()
    return taken
