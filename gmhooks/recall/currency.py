"""Hot by layer, read only where two hits may be versions of one fact: the newer of two similar matches goes first.

A fact that was corrected without `revise` leaves its old version in the store, often the better match. A newer match may be
its correction when the terms they share weigh at least `SHARE` of what the lighter one's terms weigh, a term by its idf in
the namespace, and when it answers the question at least `MATCH` as well. Nothing is retired for that; docs/ranking.md has
the measurements.
"""

from __future__ import annotations

from gmhooks.recall.lexical import idf
from gmhooks.store.postings import df
from gmhooks.text.tokens import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gmhooks.recall.engine import Hit, Ranked
    from gmhooks.store.pages import Reader

SHARE = 0.4
MATCH = 0.5
# Terms of the longest text that can be a version of another: passages on one subject share words and correct nothing.
LONGEST = 96
# Only so many of the best hits are looked at, so that a short answer is the beginning of a longer one.
WINDOW = 8
# So much more than rounding could make of it.
_MARGIN = 1 + 1e-9


def newer_first(store: Reader, ranked: Ranked) -> None:
    """Put the newer of two similar matches among the first `WINDOW` hits first; `ranked.newer` says which they are."""
    hits = enumerate(ranked.hits[:WINDOW])
    places = [at for at, hit in hits if (hit.keyword_rank or hit.vector_rank) and hit.fact.length <= LONGEST]
    matches = [ranked.hits[at] for at in places]
    ranked.newer = _similar(store, ranked, matches)
    for at, hit in zip(places, _placed(matches, ranked.newer), strict=True):
        ranked.hits[at] = hit


def _newest(hit: Hit) -> tuple[int, bytes]:
    """Newest first; equal times by id."""
    return -hit.fact.created_us, hit.fact.id


def _similar(store: Reader, ranked: Ranked, hits: list[Hit]) -> dict[int, list[Hit]]:
    """The newer similar hits, newest first, of every hit (by its number) that has any."""
    weights = _Weights(store, ranked)
    bags = [_Bag(hit, weights) for hit in sorted(hits, key=_newest)]
    found: dict[int, list[Hit]] = {}
    for at, bag in enumerate(bags):
        hit = bag.hit
        for other in bags[:at]:
            newer = other.hit
            later = newer.fact.created_us > hit.fact.created_us and newer.keyword >= MATCH * hit.keyword
            if later and bag.similar(other):
                found.setdefault(hit.doc, []).append(newer)
    return found


class _Weights(dict[str, float]):
    """The weight of each term, looked up when it is first asked for: most pairs are told apart by a few terms."""

    def __init__(self, store: Reader, ranked: Ranked) -> None:
        super().__init__()
        self._store = store
        self._ns = ranked.ns

    def __missing__(self, term: str) -> float:
        live = self._ns.live
        weight = self[term] = idf(live, min(df(self._store, self._ns.number, term), live))
        return weight

    def mass(self, terms: Iterable[str]) -> float:
        """Sum of the terms' weights, smallest first: the same bits whatever the order of a set."""
        return sum(sorted([self[term] for term in terms]))


class _Bag:
    """The distinct terms of one hit, and what those weigh that have been looked up so far."""

    __slots__ = ("_left", "_terms", "_weighed", "_weights", "hit")

    def __init__(self, hit: Hit, weights: _Weights) -> None:
        self.hit = hit
        self._terms = frozenset(terms(hit.fact.text))
        self._weights = weights
        self._weighed = 0.0
        self._left = iter(self._terms)

    def similar(self, other: _Bag) -> bool:
        """Whether the terms of both weigh at least `SHARE` of the lighter bag."""
        weights = self._weights
        shared = weights.mass(self._terms & other._terms)
        too_much = shared / SHARE * _MARGIN
        if self._outweighs(too_much) and other._outweighs(too_much):
            return False
        return shared >= SHARE * min(weights.mass(self._terms), weights.mass(other._terms))

    def _outweighs(self, limit: float) -> bool:
        while self._weighed <= limit:
            term = next(self._left, None)
            if term is None:
                return False
            self._weighed += self._weights[term]
        return True


def _placed(hits: list[Hit], newer: dict[int, list[Hit]]) -> list[Hit]:
    """The hits in order, but each one right after the newer ones that are not placed yet."""
    placed: dict[int, Hit] = {}

    def place(hit: Hit) -> None:
        if hit.doc not in placed:
            for other in newer.get(hit.doc, ()):
                place(other)
            placed[hit.doc] = hit

    for hit in hits:
        place(hit)
    return list(placed.values())
