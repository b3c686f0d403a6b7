"""Hot: one ranking of one namespace. Keyword, vector and recency ranks in, the best `top_k` distinct texts out.

Exact and deterministic: final score descending, then created_at ascending, then id ascending. Facts that no keyword or
vector rank names are fillers: they follow the matches, newest first.
"""

from __future__ import annotations

from gmhooks.recall.fuse import base, factor, level, reach
from gmhooks.recall.lexical import canonical, leaders, look_up, score, score_text
from gmhooks.recall.pool import Pool
from gmhooks.recall.recency import bucket, ranks, today
from gmhooks.store.records import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.recall.lexical import Term
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact
    from gmhooks.store.spool import Spooled

_ALL = 1 << 60


class Hit:
    """One ranked fact. Ranks are 1-based, 0 = absent; `keyword` is its BM25; `matched` holds positions in `Ranked.terms`."""

    __slots__ = (
        "base", "doc", "fact", "factor", "final", "keyword", "keyword_rank", "matched", "recency_rank", "vector_rank",
    )  # fmt: skip

    fact: Fact

    def __init__(self, doc: int, keyword: float, vector_rank: int, keyword_rank: int, recency_rank: int) -> None:
        self.doc = doc
        self.keyword = keyword
        self.vector_rank = vector_rank
        self.keyword_rank = keyword_rank
        self.recency_rank = recency_rank
        self.factor = 1.0
        self.final = self.base = base(vector_rank, keyword_rank, recency_rank)
        self.matched: list[int] = []

    @property
    def spooled(self) -> bool:
        """Saved, but not in the store yet."""
        return self.doc < 0


class Ranked:
    """The answer to one recall. `hits` best first, every `fact` loaded; `terms` of the query in the order asked; `live`:
    eligible indexed facts; `named`: facts that a keyword or vector rank names."""

    __slots__ = ("confidence_weight", "hits", "live", "named", "now_us", "ns", "terms")

    def __init__(self, ns: Namespace, now_us: int, confidence_weight: float, live: int, terms: list[Term]) -> None:
        self.ns = ns
        self.now_us = now_us
        self.confidence_weight = confidence_weight
        self.live = live
        self.terms = terms
        self.named = 0
        self.hits: list[Hit] = []


class _Signals:
    """The ranks of one recall, before any fact is chosen."""

    __slots__ = ("ages", "held", "named", "pool", "scores", "terms", "today", "vectors", "weight")

    def __init__(self, pool: Pool, names: list[str], vectors: dict[int, int], now_us: int, weight: float) -> None:
        self.pool = pool
        self.weight = weight
        self.today = today(now_us)
        self.terms = look_up(pool.store, pool.ns.number, pool.live, names, pool.every)
        order = canonical(self.terms)
        self.scores = score(order)
        self.held: dict[int, list[str]] = {}
        for doc, fact in pool.spooled.items():
            total, fact.length, self.held[doc] = score_text(order, fact.text)
            if total:
                self.scores[doc] = total
        known = [doc for doc in sorted(vectors, key=vectors.__getitem__) if pool.eligible(doc)]
        self.vectors = {doc: rank for rank, doc in enumerate(known, 1)}
        self.named = list(self.scores) + [doc for doc in known if doc not in self.scores]
        indexed = self.named if not self.held else [doc for doc in self.named if doc >= 0]
        fresh = pool.days([doc for doc in self.named if doc < 0]) if self.held else []
        self.ages = ranks(pool.store, pool.ns, indexed, self.today, fresh)

    def best(self, count: int, *, fill: bool) -> tuple[list[Hit], bool]:
        """The first `count` facts in order, and whether they are all there are. With `whole` ranks nothing is cut off."""
        whole = self.weight != 0 or bool(self.vectors)
        limit = len(self.named) if whole else min(reach(count, len(self.ages)), len(self.named))
        hits = self._matches(limit)
        complete = limit == len(self.named)
        if fill and (self.weight or len(hits) < count):
            fillers = self._fillers(_ALL if self.weight else count)
            hits += fillers
            complete = complete and (self.weight != 0 or len(fillers) < count)
        elif fill:
            complete = False
        self._order(hits)
        return hits if complete else hits[:count], complete

    def _matches(self, limit: int) -> list[Hit]:
        pool, scores, vectors = self.pool, self.scores, self.vectors
        docs = self._keyword_order(limit)
        ranked = len(docs)
        docs += [doc for doc in vectors if doc not in scores]
        hits = []
        for rank, (doc, written) in enumerate(zip(docs, pool.days(docs), strict=True), 1):
            recency_rank = self.ages[bucket(self.today, written)]
            keyword_rank = rank if rank <= ranked else 0
            hits.append(Hit(doc, scores.get(doc, 0.0), vectors.get(doc, 0), keyword_rank, recency_rank))
        return hits

    def _keyword_order(self, limit: int) -> list[int]:
        """The first `limit` facts by keyword score; ties oldest first."""
        scores = self.scores
        docs = sorted(leaders(scores, limit))
        docs.sort(key=scores.__getitem__, reverse=True)
        if self.pool.by_number:
            return docs[:limit]
        settled: list[int] = []
        while len(settled) < min(limit, len(docs)):
            start = end = len(settled)
            while end < len(docs) and scores[docs[end]] == scores[docs[start]]:
                end += 1
            settled += self.pool.oldest(docs[start:end], limit - start)
        return settled

    def _fillers(self, count: int) -> list[Hit]:
        found: list[Fact] = []
        named = set(self.named)
        for fact in self.pool.newest_first():
            if len(found) >= count and fact.created_us != found[-1].created_us:
                break
            if fact.doc not in named:
                found.append(fact)
        found.sort(key=lambda fact: (-fact.created_us, fact.id))
        self.pool.read.update({fact.doc: fact for fact in found})
        return [Hit(fact.doc, 0.0, 0, 0, rank) for rank, fact in enumerate(found[:count], len(named) + 1)]

    def _order(self, hits: list[Hit]) -> None:
        if self.weight:
            for hit in hits:
                fact = self.pool.fact(hit.doc)
                hit.factor = factor(fact.confidence if fact is not None else 0, self.weight)
                hit.final = hit.base * hit.factor
        if self.pool.by_number:
            hits.sort(key=lambda hit: (-hit.final, hit.doc))
        else:
            hits.sort(key=lambda hit: (-hit.final, self.pool.age_key(hit.doc)))


def recall(
    store: Store, ns: Namespace | None, terms: list[str], now_us: int, top_k: int = 8, *, fill: bool = True,
    min_confidence: int | None = None, confidence_weight: float = 0.0,
    vector_ranks: dict[int, int] | None = None, spooled: Sequence[Spooled] = (),
) -> Ranked:  # fmt: skip
    """Rank the live facts of a namespace (None: nothing stored yet) for the terms of a query.

    `spooled`: this namespace's saves that wait in the spool. `vector_ranks`: fact number -> rank. `min_confidence` (1 to 3
    as stored) narrows the corpus before anything is counted. Without `fill` only facts that match are returned. Returned
    facts hold distinct texts; the best ranked fact stands for its text.
    """
    lowest = level(min_confidence) if min_confidence is not None else 0
    pool = Pool(store, ns or Namespace(0, ""), spooled, lowest, whole=lowest > 0 or confidence_weight != 0)
    signals = _Signals(pool, terms, vector_ranks or {}, now_us, confidence_weight)
    ranked = Ranked(pool.ns, now_us, confidence_weight, pool.live, signals.terms)
    ranked.named = len(signals.named)
    count = top_k
    complete = top_k <= 0
    while len(ranked.hits) < top_k and not complete:
        hits, complete = signals.best(count, fill=fill)
        ranked.hits = _distinct(pool, hits, top_k)
        count *= 2
    for hit in ranked.hits:
        held = signals.held.get(hit.doc)
        for at, term in enumerate(ranked.terms):
            if term.holds(hit.fact) if held is None else term.name in held:
                hit.matched.append(at)
    return ranked


def _distinct(pool: Pool, hits: list[Hit], top_k: int) -> list[Hit]:
    chosen: dict[str, Hit] = {}
    for hit in hits:
        fact = pool.fact(hit.doc)
        if fact is not None and fact.text not in chosen:
            hit.fact = fact
            chosen[fact.text] = hit
            if len(chosen) == top_k:
                break
    return list(chosen.values())
