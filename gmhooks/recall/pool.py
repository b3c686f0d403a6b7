"""Hot: what one recall ranks: the live facts of a namespace and its spooled saves, read as little as possible."""

from __future__ import annotations

from gmhooks.recall.fuse import level
from gmhooks.store.days import day, day_of, runs
from gmhooks.store.facts import get, newest
from gmhooks.store.records import KIND_ALIAS, Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Namespace
    from gmhooks.store.spool import Spooled

_LAST = (1 << 64, b"")


class Pool:
    """Eligible facts by number; spooled ones have the numbers -1, -2, … `every` holds all indexed ones if they were read.

    `lowest`: smallest effective confidence level that takes part. `whole`: read every fact now. `by_number`: fact numbers
    ascend with (created_at, id), so that they settle ties without reading records.
    """

    __slots__ = ("by_number", "every", "live", "lowest", "ns", "read", "runs", "spooled", "store")

    def __init__(self, store: Reader, ns: Namespace, spooled: Sequence[Spooled], lowest: int, *, whole: bool) -> None:
        self.store = store
        self.ns = ns
        self.lowest = lowest
        self.by_number = ns.ordered and not spooled
        self.runs = runs(store, ns.number)
        self.spooled: dict[int, Fact] = {}
        for doc, item in zip(range(-1, -1 - len(spooled), -1), spooled, strict=True):
            if level(item.confidence) >= lowest:
                fact = Fact(ns.number, doc, item.id, item.text, item.created_us, item.source, item.confidence)
                self.spooled[doc] = fact
        self.read = dict(self.spooled)
        self.every: dict[int, Fact] | None = None
        self.live = ns.live
        if whole:
            self.every = {fact.doc: fact for fact in newest(store, ns) if level(fact.confidence) >= lowest}
            self.live = len(self.every)
            self.read.update(self.every)

    def fact(self, doc: int) -> Fact | None:
        """The fact of a number; None if its record is damaged."""
        found = self.read.get(doc)
        if found is None:
            found = get(self.store, self.ns.number, doc)
            if found is not None:
                self.read[doc] = found
        return found

    def eligible(self, doc: int) -> bool:
        """Whether a fact named from outside (a vector rank) takes part."""
        found = self.fact(doc)
        return found is not None and found.live and found.kind != KIND_ALIAS and level(found.confidence) >= self.lowest

    def oldest(self, docs: list[int], count: int) -> list[int]:
        """The first `count` by (created_at, id), in that order."""
        if len(docs) > count:
            days = self.days(docs)
            last = sorted(days)[count - 1]
            docs = [doc for doc, written in zip(docs, days, strict=True) if written <= last]
        return sorted(docs, key=self.age_key)[:count] if len(docs) > 1 else docs

    def age_key(self, doc: int) -> tuple[int, bytes]:
        """(created_at, id), which settles every tie."""
        found = self.fact(doc)
        return (found.created_us, found.id) if found is not None else _LAST

    def days(self, docs: list[int]) -> list[int]:
        """UTC day of each fact."""
        runs = self.runs
        return [day_of(runs, doc) if doc >= 0 else day(self.spooled[doc].created_us) for doc in docs]

    def newest_first(self) -> Iterable[Fact]:
        """Every eligible fact by descending created_at; equal times in any order."""
        indexed = newest(self.store, self.ns) if self.every is None else self.every.values()
        if not self.spooled:
            return indexed
        return sorted([*self.spooled.values(), *indexed], key=lambda fact: -fact.created_us)
