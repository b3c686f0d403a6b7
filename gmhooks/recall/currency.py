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
    from gmhooks.recall.engine import Hit, Ranked
    from gmhooks.store.pages import Reader

SHARE = 0.4
MATCH = 0.5
# Terms of the longest text that can be a version of another: passages on one subject share words and correct nothing.
LONGEST = 96
# Only so many of the best hits are looked at, so that a short answer is the beginning of a longer one.
WINDOW = 8


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
    weights: dict[str, float] = {}
    bags: list[tuple[Hit, set[str], float]] = []
    for hit in sorted(hits, key=_newest):
        bag = set(terms(hit.fact.text))
        for term in bag - weights.keys():
            weights[term] = idf(ranked.ns.live, min(df(store, ranked.ns.number, term), ranked.ns.live))
        bags.append((hit, bag, _mass(bag, weights)))
    found: dict[int, list[Hit]] = {}
    for at, (hit, bag, mass) in enumerate(bags):
        for newer, other, its_mass in bags[:at]:
            later = newer.fact.created_us > hit.fact.created_us and newer.keyword >= MATCH * hit.keyword
            if later and _mass(bag & other, weights) >= SHARE * min(mass, its_mass):
                found.setdefault(hit.doc, []).append(newer)
    return found


def _mass(bag: set[str], weights: dict[str, float]) -> float:
    """Sum of the terms' weights, smallest first: the same bits whatever the order of a set."""
    return sum(sorted([weights[term] for term in bag]))


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
