"""Hot: one ranking of one namespace. Keyword, vector and recency ranks in, the best `top_k` distinct texts out.

Exact and deterministic: final score descending, then created_at ascending, then id ascending. Facts that no keyword or
vector rank names are fillers: they follow the matches, newest first.
"""

from __future__ import annotations

from gmhooks.recall.fuse import base, factor, level, reach
from gmhooks.recall.lexical import DISCOUNT, add_text, doc_of, leading, look_up, matched, score
from gmhooks.recall.pool import Pool
from gmhooks.recall.recency import buckets, ranks, starts, today
from gmhooks.recall.wide import FEW, every_bucket, narrow
from gmhooks.store.bitmaps import EXACT_UP_TO
from gmhooks.store.layout import DOC_BITS, DOC_MASK
from gmhooks.store.records import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.recall.lexical import Term
    from gmhooks.recall.spelling import Correction
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact
    from gmhooks.store.spool import Spooled

    # (-final, fact number, vector rank, keyword rank, recency rank, key)
    _Row = tuple[float, int, int, int, int, int]

_ALL = 1 << 60


class Hit:
    """One ranked fact; its number is negative while it waits in the spool.

    Ranks are 1-based, 0 = absent; `keyword` is its BM25; `matched` holds positions in `Ranked.terms`.
    """

    __slots__ = (
        "base", "doc", "fact", "factor", "final", "keyword", "keyword_rank", "matched", "recency_rank", "vector_rank",
    )  # fmt: skip

    def __init__(self, fact: Fact, row: _Row, keyword: float, matched: list[int], weight: float) -> None:
        negative, self.doc, self.vector_rank, self.keyword_rank, self.recency_rank, _ = row
        self.fact = fact
        self.keyword = keyword
        self.matched = matched
        self.final = self.base = -negative
        self.factor = 1.0
        if weight:
            self.factor = factor(fact.confidence, weight)
            self.base = base(self.vector_rank, self.keyword_rank, self.recency_rank)


class Ranked:
    """The answer to one recall. `hits` best first, every `fact` loaded; `terms` of the query in the order asked; `live`:
    eligible indexed facts; `newer`: possible newer versions, by fact number (see `currency`); `corrected`: words taken for
    others (see `spelling`)."""

    __slots__ = ("confidence_weight", "corrected", "hits", "live", "newer", "now_us", "ns", "terms")

    def __init__(self, ns: Namespace, now_us: int, confidence_weight: float, live: int, terms: list[Term]) -> None:
        self.ns = ns
        self.now_us = now_us
        self.confidence_weight = confidence_weight
        self.live = live
        self.terms = terms
        self.hits: list[Hit] = []
        self.newer: dict[int, list[Hit]] = {}
        self.corrected: Sequence[Correction] = ()


class Signals:
    """The ranks of one recall, before any fact is chosen. `whole`: nothing may be cut off before it is ordered; `few`: only
    facts that can be among the best are scored, when it is known how many are asked for."""

    __slots__ = ("ages", "few", "pool", "scores", "starts", "terms", "today", "vectors", "weight", "whole")

    def __init__(
        self, pool: Pool, names: list[str], vectors: dict[int, int], now_us: int, weight: float, few: bool,
        corrected: Sequence[Correction],
    ) -> None:  # fmt: skip
        self.pool = pool
        self.weight = weight
        self.today = today(now_us)
        narrowed = narrow(pool, names) if few and pool.ns.next_doc > EXACT_UP_TO else None
        self.terms = narrowed or look_up(pool.store, pool.ns.number, pool.live, names, pool.every)
        for correction in corrected:
            self.terms[names.index(correction.known_term)].idf *= DISCOUNT
        for fact in pool.spooled.values():
            add_text(self.terms, fact)
        self.few = few and pool.by_number and not narrowed
        self.scores = {} if self.few else score(self.terms)
        known = [doc for doc in sorted(vectors, key=vectors.__getitem__) if pool.eligible(doc)] if vectors else []
        self.vectors = {doc: rank for rank, doc in enumerate(known, 1)}
        self.whole = weight != 0 or bool(known)
        self.starts = starts(pool, self.today)
        # None: every fact is of one bucket, of rank 1.
        self.ages = None
        if narrowed:
            self.ages = every_bucket(pool, self.starts, self.today)
        elif len(self.starts) != 1:
            self.ages = ranks(pool, self.starts, self.named, self.terms, self.today)

    def named(self) -> list[int]:
        """Facts that a keyword or vector rank names, some maybe twice."""
        keys = self.scores or [value for term in self.terms for value in term.postings]
        docs = [key & DOC_MASK if key >= 0 else key for key in keys]
        if self.vectors:
            docs += self.vectors.keys() - set(docs)
        return docs

    def best(self, count: int, *, fill: bool) -> tuple[list[_Row], bool]:
        """The first `count` facts in order, and whether they are all there are."""
        most = _ALL if self.whole else reach(count, len(self.ages) if self.ages else 1)
        if self.few:
            self.scores = leading(self.terms, most + 1)
        every = len(self.scores)
        limit = min(most, every)
        rows = self._matches(limit)
        complete = limit == every
        if fill and (self.weight or len(rows) < count):
            fillers = self._fillers(_ALL if self.weight else count)
            rows += fillers
            complete = complete and len(fillers) < count
        elif fill:
            complete = False
        if self.weight:
            rows = [self._weighed(row) for row in rows]
            complete = True
        if self.pool.by_number:
            rows.sort()
        else:
            rows.sort(key=lambda row: (row[0], self.pool.age_key(row[1])))
        return rows if complete else rows[:count], complete

    def _matches(self, limit: int) -> list[_Row]:
        keys = self._keyword_order(limit)
        docs = [doc_of(key) for key in keys]
        vectors = self.vectors
        if vectors:
            alone = list(vectors.keys() - set(docs))
            docs += alone
            keys += alone
        ages = [1] * len(docs)
        if self.ages is not None:
            ages = [self.ages[found] for found in buckets(self.pool, self.starts, docs, self.today)]
        rows = []
        for at, doc in enumerate(docs):
            keyword_rank = at + 1 if at < limit else 0
            vector_rank = vectors.get(doc, 0)
            final = base(vector_rank, keyword_rank, ages[at])
            rows.append((-final, doc, vector_rank, keyword_rank, ages[at], keys[at]))
        return rows

    def _keyword_order(self, limit: int) -> list[int]:
        """Keys of the first `limit` facts by keyword score; ties oldest first."""
        scores = self.scores
        if len(scores) > limit > 0:
            floor = sorted(scores.values(), reverse=True)[limit - 1]
            keys = [key for key, score in scores.items() if score >= floor]
        else:
            keys = list(scores)
        if self.pool.by_number:
            keys.sort()
            if keys and keys[0] >> DOC_BITS != keys[-1] >> DOC_BITS:
                keys.sort(key=DOC_MASK.__and__)
            keys.sort(key=scores.__getitem__, reverse=True)
            return keys[:limit]
        keys.sort(key=scores.__getitem__, reverse=True)
        settled: list[int] = []
        while len(settled) < limit:
            start = end = len(settled)
            while end < len(keys) and scores[keys[end]] == scores[keys[start]]:
                end += 1
            by_doc = {doc_of(key): key for key in keys[start:end]}
            settled += [by_doc[doc] for doc in self.pool.oldest(list(by_doc), limit - start)]
        return settled

    def _fillers(self, count: int) -> list[_Row]:
        found: list[Fact] = []
        named = set(self.named())
        for fact in self.pool.newest_first():
            if len(found) >= count and fact.created_us != found[-1].created_us:
                break
            if fact.doc not in named:
                found.append(fact)
        found.sort(key=lambda fact: (-fact.created_us, fact.id))
        self.pool.read.update({fact.doc: fact for fact in found})
        ranked = enumerate(found[:count], len(named) + 1)
        return [(-base(0, 0, rank), fact.doc, 0, 0, rank, fact.doc) for rank, fact in ranked]

    def _weighed(self, row: _Row) -> _Row:
        fact = self.pool.fact(row[1])
        return (row[0] * factor(fact.confidence if fact is not None else 0, self.weight), *row[1:])


def recall(
    store: Reader, ns: Namespace | None, terms: list[str], now_us: int, top_k: int = 8, *, fill: bool = True,
    min_confidence: int | None = None, confidence_weight: float = 0.0,
    vector_ranks: dict[int, int] | None = None, spooled: Sequence[Spooled] = (), corrected: Sequence[Correction] = (),
) -> Ranked:  # fmt: skip
    """Rank the live facts of a namespace (None: nothing stored yet) for the terms of a query.

    `spooled`: this namespace's saves that wait in the spool. `vector_ranks`: fact number -> rank. `min_confidence` (1 to 3
    as stored) narrows the corpus before anything is counted. Without `fill` only facts that match are returned. Returned
    facts hold distinct texts; the best ranked fact stands for its text. `corrected` terms are asked for in
    place of those typed.
    """
    if corrected:
        known = {correction.typed_term: correction.known_term for correction in corrected}
        terms = [known.get(name, name) for name in terms]
    lowest = level(min_confidence) if min_confidence is not None else 0
    pool = Pool(store, ns or Namespace(0, ""), spooled, lowest, whole=lowest > 0 or confidence_weight != 0)
    few = not fill and not vector_ranks and pool.every is None and top_k <= FEW
    signals = Signals(pool, terms, vector_ranks or {}, now_us, confidence_weight, few, corrected)
    ranked = Ranked(pool.ns, now_us, confidence_weight, pool.live, signals.terms)
    ranked.corrected = corrected
    ranked.hits = distinct(signals, top_k, fill=fill)
    return ranked


def distinct(signals: Signals, top_k: int, *, fill: bool) -> list[Hit]:
    """The first `top_k` facts whose texts differ; a damaged record is passed over."""
    chosen: dict[str, Hit] = {}
    present = [(at, term) for at, term in enumerate(signals.terms) if term.df or term.gains]
    count = top_k
    complete = top_k <= 0
    while len(chosen) < top_k and not complete:
        rows, complete = signals.best(count, fill=fill)
        chosen = {}
        for row in rows:
            fact = signals.pool.fact(row[1])
            if fact is not None and fact.text not in chosen:
                held = matched(present, row[5])
                chosen[fact.text] = Hit(fact, row, signals.scores.get(row[5], 0.0), held, signals.weight)
                if len(chosen) == top_k:
                    break
        count *= 2
    return list(chosen.values())
