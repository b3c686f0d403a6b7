"""Neighbour smoothing: facts also gain from what was written just before and after them.

What one fact of a conversation leaves out, the fact beside it often says. Each of the best `GIVERS` facts by keyword score
passes `PART` of its score on to the live fact before it and the one after it in the order of writing, if no more than
`WINDOW_US` lie between; keyword ranks, recency ranks and fusion then follow from the sums. Saves that wait in the spool
have no place in that order: they neither give nor receive. docs/ranking.md has the measurements.

This is no part of `gmhooks.recall`, because a class that another one there derives from cannot be linked into the pack.
"""

from __future__ import annotations

from collections.abc import Sequence

from gmhooks.recall.engine import Ranked, Signals, distinct
from gmhooks.recall.fuse import level
from gmhooks.recall.lexical import doc_of, score
from gmhooks.recall.pool import Pool
from gmhooks.recall.recency import ranks, starts, today
from gmhooks.store.env import Store
from gmhooks.store.spool import Spooled

PART = 0.2
GIVERS = 200
WINDOW_US = 600 * 1_000_000


class Share:
    """The keyword score of one fact by itself, and those of the facts before and after it as far as they are passed on."""

    __slots__ = ("after", "before", "own")

    def __init__(self, own: float) -> None:
        self.own = own
        self.before = self.after = 0.0

    @property
    def total(self) -> float:
        """The smoothed score."""
        return self.own + PART * (self.before + self.after)


class Smoothed(Ranked):
    """A ranking by smoothed scores. `shares`: of what they were made, by fact number; every fact with a score has one."""

    __slots__ = ("shares",)

    def __init__(self, plain: Ranked, shares: dict[int, Share]) -> None:
        super().__init__(plain.ns, plain.now_us, plain.confidence_weight, plain.live, plain.terms)
        self.corrected = plain.corrected
        self.shares = shares


class _SmoothedSignals(Signals):
    """The signals of a ranking whose terms are looked up already, with smoothed keyword scores."""

    __slots__ = ("shares",)

    def __init__(self, pool: Pool, plain: Ranked) -> None:
        self.pool = pool
        self.weight = plain.confidence_weight
        self.whole = self.weight != 0
        self.few = False
        self.today = today(plain.now_us)
        self.terms = plain.terms
        self.vectors = {}
        self.scores = score(self.terms)
        self.shares = self._shares()
        keys = {doc_of(key): key for key in self.scores}
        self.scores = {keys.get(doc, doc): share.total for doc, share in self.shares.items()}
        self.starts = starts(pool, self.today)
        one = len(self.starts) == 1
        self.ages = None if one else ranks(pool, self.starts, self.named, self.terms, self.today)

    def _shares(self) -> dict[int, Share]:
        shares = {doc_of(key): Share(own) for key, own in self.scores.items()}
        for key in self._keyword_order(min(GIVERS, len(self.scores))):
            doc, given = doc_of(key), self.scores[key]
            earlier, later = self._beside(doc, -1), self._beside(doc, 1)
            if earlier is not None:
                shares.setdefault(earlier, Share(0.0)).after = given
            if later is not None:
                shares.setdefault(later, Share(0.0)).before = given
        return shares

    def _beside(self, doc: int, step: int) -> int | None:
        """The next eligible fact in one direction, if it was written within the window."""
        pool = self.pool
        fact = pool.fact(doc) if doc >= 0 else None
        at = doc + step
        while fact is not None and 0 <= at < pool.ns.next_doc:
            other = pool.fact(at)
            if other is not None and pool.eligible(at):
                return at if abs(other.created_us - fact.created_us) <= WINDOW_US else None
            at += step
        return None


def smoothed(
    store: Store, plain: Ranked, top_k: int, *, min_confidence: int | None = None, spooled: Sequence[Spooled] = ()
) -> Smoothed:
    """The ranking that `plain` becomes when neighbours count; the other arguments as they were given to `recall`, which
    looked up the terms. Vector ranks take no part."""
    lowest = level(min_confidence) if min_confidence is not None else 0
    pool = Pool(store, plain.ns, spooled, lowest, whole=lowest > 0 or plain.confidence_weight != 0)
    signals = _SmoothedSignals(pool, plain)
    found = Smoothed(plain, signals.shares)
    found.hits = distinct(signals, top_k, fill=True)
    return found


def parts_of(ranked: Ranked) -> dict[int, dict[str, float]]:
    """For the receipts: of what each smoothed score is made, by fact number; nothing for a plain ranking."""
    if not isinstance(ranked, Smoothed):
        return {}
    return {
        doc: {
            "keyword_score": share.total, "own": share.own, "before": share.before, "after": share.after, "part": PART,
        }
        for doc, share in ranked.shares.items()
    }  # fmt: skip
