"""Write facts into a real store and keep the judge's copy of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gmhooks.recall.engine import Ranked, recall
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add, pin, retire
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import USER
from gmhooks.store.spool import Spooled
from gmhooks.store.writer import run
from tests.recall.judge import DAY_US, Entry, Row

NOW_US = 20_600 * DAY_US + 5


@dataclass(frozen=True)
class Draft:
    """One fact to be written: `age` in days, less `seconds`, `fate` one of live, retired, pinned, spooled."""

    text: str
    age: int = 0
    confidence: int = 0
    fate: str = "live"
    source: int = USER
    seconds: int = 0


@dataclass
class World:
    """One namespace: what was written, and how to find it again."""

    folder: str
    agent_id: str
    entries: list[Entry] = field(default_factory=list)
    docs: dict[bytes, int] = field(default_factory=dict)
    spooled: list[Spooled] = field(default_factory=list)

    def write(self, drafts: Iterable[Draft]) -> World:
        """Write the drafts in the order given, each with its own time."""
        run(self.folder, lambda store: [self._write(store, draft) for draft in drafts], True)
        return self

    def _write(self, store: Store, draft: Draft) -> None:
        ns = ensure(store, self.agent_id)
        created_us = NOW_US - draft.age * DAY_US + draft.seconds * 1_000_000
        if draft.fate == "spooled":
            number = (len(self.spooled) * 7919 + 1).to_bytes(16, "big")
            self.spooled.append(Spooled(number, created_us, self.agent_id, draft.text, draft.source, draft.confidence))
            self.entries.append(Entry(number, draft.text, created_us, draft.confidence, spooled=True))
            return
        fact = add(store, ns, draft.text, created_us, draft.source, draft.confidence, as_dated=True)
        self.docs[fact.id] = fact.doc
        if draft.fate == "retired":
            retire(store, ns, fact)
            return
        if draft.fate == "pinned":
            pin(store, fact, NOW_US)
        self.entries.append(Entry(fact.id, draft.text, created_us, draft.confidence))

    def recall(self, terms: list[str], top_k: int = 8, **options: object) -> Ranked:
        """The engine's answer from a fresh reader."""
        store = open_read(self.folder)
        try:
            return recall(
                store,
                find(store, self.agent_id),
                terms,
                NOW_US,
                top_k,
                spooled=self.spooled,
                **options,  # type: ignore[arg-type]
            )
        finally:
            store.close()


def rows(ranked: Ranked) -> list[Row]:
    """The engine's answer in the judge's words."""
    return [
        Row(hit.fact.id, round(hit.keyword, 12), hit.vector_rank, hit.keyword_rank, hit.recency_rank, hit.base, hit.final)
        for hit in ranked.hits
    ]
