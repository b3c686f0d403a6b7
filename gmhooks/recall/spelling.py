"""Hot by layer, read only for words that memory does not know: the one known word that a mistyped one stands for.

A word of five letters and more is corrected if no fact holds its term and a word one edit away is known; of several the one
that most facts hold, then the first by code points. The correction counts `DISCOUNT` of its weight. Steering words are spelt
right, if maybe in another language ("weiter" is no "writer").
"""

from __future__ import annotations

from gmhooks.recall.gate import steers
from gmhooks.store.postings import df
from gmhooks.store.spellings import words
from gmhooks.text.spelling import one_edit, spelt_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.engine import Ranked
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Namespace

_MOST = 4


class Correction:
    """A mistyped word and its term, and what they are taken for."""

    __slots__ = ("known", "known_term", "typed", "typed_term")

    def __init__(self, typed: str, typed_term: str, known: str, known_term: str) -> None:
        self.typed = typed
        self.typed_term = typed_term
        self.known = known
        self.known_term = known_term


def corrections(store: Reader, query: str, rankings: list[Ranked]) -> list[Correction]:
    """What the unknown words of a query stand for; `rankings`: what the namespaces asked answer to it as typed."""
    spaces = [ranked.ns for ranked in rankings if ranked.ns.live]
    heard = {term.name for ranked in rankings for term in ranked.terms if term.df or term.gains}
    asked = {term.name for ranked in rankings for term in ranked.terms}
    unknown = {term for term in asked - heard if not steers(term)} if spaces else set()
    typed = sorted([pair for pair in spelt_words(query).items() if pair[1] in unknown])[:_MOST] if unknown else []
    # A word one edit away begins with the first letter typed or the second, unless its first was left out or mistyped.
    initials = {letter for word, _ in typed for letter in word[:2]}
    held = {other for ns in spaces for other in words(store, ns, initials)} if typed else ()
    found = []
    for word, term in typed:
        # One edit in five letters or more leaves the first two or the last two as they are.
        near = [other for other in held if other[:2] == word[:2] or other[-2:] == word[-2:]]
        near = sorted([other for other in near if one_edit(word, other)])
        known = [(-_df(store, spaces, name), other, name) for other in near for name in _terms(other)]
        count, other, name = min(known, default=(0, "", ""))
        if count and name not in asked:
            found.append(Correction(word, term, other, name))
            asked.add(name)
    return found


def _terms(word: str) -> dict[str, None]:
    """The terms a known word may stand for: its own, and itself where it is part of a name."""
    return dict.fromkeys((*spelt_words(word).values(), word))


def _df(store: Reader, spaces: list[Namespace], term: str) -> int:
    return sum([df(store, ns.number, term) for ns in spaces])
