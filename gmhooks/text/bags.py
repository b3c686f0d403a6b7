"""Hot by layer, for processes that live long: the distinct terms of a text, each word analysed once.

A chunk has the same terms in every text but for one rule, the particle that joins the verb before it; a text to which
that may apply is analysed as a whole.
"""

from __future__ import annotations

from gmhooks.text.tokens import chunks_of, terms
from gmhooks.text.words import PARTICLE_VERBS, PARTICLES, STOP, analyse

# Chunks remembered: more than the words of 10,000 facts, at some 200 bytes each.
LIMIT = 32_768
# Texts remembered, at some 1,000 bytes each: who searches meets many of them again.
TEXTS = 4_096


class _Chunks(dict[str, tuple[str, ...]]):
    """The terms of each chunk, analysed when it is first asked for; emptied when it is full."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found: list[str] = []
        analyse(chunk, found, STOP)
        if len(self) >= LIMIT:
            self.clear()
        known = self[chunk] = tuple(found)
        return known


_chunks = _Chunks()
_bags: dict[str, frozenset[str]] = {}


def bag(text: str) -> frozenset[str]:
    """What `terms` finds, each term once."""
    known = _bags.get(text)
    if known is None:
        if len(_bags) >= TEXTS:
            _bags.clear()
        known = _bags[text] = _bag(text)
    return known


def _bag(text: str) -> frozenset[str]:
    chunks = chunks_of(text)
    found: frozenset[str] = frozenset().union(*map(_chunks.__getitem__, chunks))
    joined = not PARTICLE_VERBS.isdisjoint(found) and ("'" in text or not PARTICLES.isdisjoint(chunks))
    return frozenset(terms(text)) if joined or not found else found
