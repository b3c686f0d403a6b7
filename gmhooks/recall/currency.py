"""Hot by layer, read only where two hits may be versions of one fact: the newer of two similar matches goes first.

A fact that was corrected without `revise` leaves its old version in the store, often the better match. A newer match may be
its correction when the terms they share weigh at least `SHARE` of what the lighter one's terms weigh, a term by its idf in
the namespace, and when it answers the question at least `MATCH` as well. Nothing is retired for that; docs/ranking.md has
the measurements.
"""

from __future__ import annotations

from gmhooks.recall.lexical import idf
from gmhooks.store.postings import df
from gmhooks.text.bags import bag

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def newer_first(store: Reader, ranked: Ranked, known: dict[str, float] | None = None) -> None:
    """Put the newer of two similar matches among the first `WINDOW` hits first; `ranked.newer` says which they are.

    `known`: weights of terms in this namespace as it is now; those looked up are added, for the next time.
    """
    hits = enumerate(ranked.hits[:WINDOW])
    places = [at for at, hit in hits if (hit.keyword_rank or hit.vector_rank) and hit.fact.length <= LONGEST]
    matches = [ranked.hits[at] for at in places]
    ranked.newer = _similar(_Weights(store, ranked, {} if known is None else known), matches)
    if ranked.newer:
        for at, hit in zip(places, _placed(matches, ranked.newer), strict=True):
            ranked.hits[at] = hit


def _newest(hit: Hit) -> tuple[int, bytes]:
    """Newest first; equal times by id."""
    return -hit.fact.created_us, hit.fact.id


def _similar(weights: _Weights, hits: list[Hit]) -> dict[int, list[Hit]]:
    """The newer similar hits, newest first, of every hit (by its number) that has any."""
    hits = sorted(hits, key=_newest)
    bags = [bag(hit.fact.text) for hit in hits]
    once: set[str] = set()
    common: set[str] = set()
    for terms in bags:
        common |= terms & once
        once |= terms
    # Two hits that both weigh much more than all they share with the others need not be compared.
    apart = [weights.apart(terms, terms & common) for terms in bags]
    found: dict[int, list[Hit]] = {}
    for at, hit in enumerate(hits) if not all(apart) else ():
        for before, newer in enumerate(hits[:at]):
            later = newer.fact.created_us > hit.fact.created_us and newer.keyword >= MATCH * hit.keyword
            if later and not (apart[at] and apart[before]) and weights.similar(bags[at], bags[before]):
                found.setdefault(hit.doc, []).append(newer)
    return found


class _Weights:
    """The weight of each term, looked up when it is first asked for: most hits are told apart by a few terms."""

    __slots__ = ("_known", "_ns", "_store")

    def __init__(self, store: Reader, ranked: Ranked, known: dict[str, float]) -> None:
        self._store = store
        self._ns = ranked.ns
        self._known = known
        # A minimum confidence narrows what the terms asked for are counted in; what stands for another weighs less.
        if ranked.live == self._ns.live and not ranked.corrected:
            known.update({term.name: term.idf for term in ranked.terms})

    def similar(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Whether the terms of both weigh at least `SHARE` of what the lighter one's do."""
        shared = one & other
        if self.apart(one, shared) and self.apart(other, shared):
            return False
        return self._mass(shared) >= SHARE * min(self._mass(one), self._mass(other))

    def apart(self, terms: frozenset[str], shared: frozenset[str]) -> bool:
        """Whether some terms weigh clearly less than `SHARE` of all; looks up no more than that takes."""
        limit = self._mass(shared) / SHARE * _MARGIN
        known = self._known
        weighed = 0.0
        unknown = []
        for term in terms:
            if term in known:
                weighed += known[term]
                if weighed > limit:
                    return True
            else:
                unknown.append(term)
        for term in unknown:
            weighed += self._weight(term)
            if weighed > limit:
                return True
        return False

    def _weight(self, term: str) -> float:
        weight = self._known.get(term)
        if weight is None:
            live = self._ns.live
            weight = self._known[term] = idf(live, min(df(self._store, self._ns.number, term), live))
        return weight

    def _mass(self, terms: frozenset[str]) -> float:
        """Sum of the terms' weights, smallest first: the same bits whatever the order of a set."""
        return sum(sorted([self._weight(term) for term in terms]))


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
