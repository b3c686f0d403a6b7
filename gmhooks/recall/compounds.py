"""Hot, for questions with words that no fact holds: the other spelling of a compound, "hot fix" for hotfix and back.

Only spellings that facts do hold count, so nothing is guessed; common pairs with a particle (roll back) need no question to
the store, the analyzer knows them.
"""

from __future__ import annotations

from gmhooks.store.layout import DOC_MASK
from gmhooks.store.postings import lookup
from gmhooks.text.tokens import plain_words
from gmhooks.text.words import NO_WORDS, STOP, analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.recall.engine import Ranked
    from gmhooks.store.pages import Reader

# Words that are taken apart, the least and the most letters of one, and the least of its parts.
_SPLIT = 2
_LONG = 7
_LONGEST = 40
_PART = 3
# Stores beyond this know nearly every spelling, and reading who holds a common word takes long.
_MOST_FACTS = 50_000


def other_spellings(store: Reader, text: str, rankings: list[Ranked]) -> list[str]:
    """Terms to ask as well: joined neighbours that a fact holds as one word, and parts of a word that a fact holds together.
    The rankings, one a namespace, answered the text's terms; only neighbours and words that no fact holds are looked at."""
    known = {term.name for ranked in rankings for term in ranked.terms if term.df}
    unknown = {term.name for term in rankings[0].terms}.difference(known)
    spaces = [ranked.ns.number for ranked in rankings if ranked.live]
    if not unknown or sum([ranked.live for ranked in rankings]) > _MOST_FACTS:
        return []

    def holders(term: str) -> set[tuple[int, int]]:
        return {(number, value & DOC_MASK) for number in spaces for value in lookup(store, number, [term])[0]}

    words = plain_words(text)
    terms = {word: _term(word) for word in dict.fromkeys(words)}
    found = []
    for first, second in dict.fromkeys(zip(words, words[1:], strict=False)):  # noqa: RUF007 - a hook loads no itertools
        if (terms[first] in unknown or terms[second] in unknown) and first not in STOP and second not in STOP:
            joined = _term(first + second)
            if holders(joined):
                found.append(joined)
    long = [word for word in terms if terms[word] in unknown and _LONG <= len(word) <= _LONGEST]
    for word in long[:_SPLIT]:
        found += _parts(word, holders)
    return list(dict.fromkeys(found))


def _parts(word: str, holders: Callable[[str], set[tuple[int, int]]]) -> list[str]:
    """The terms of the two parts of a word that the fewest facts hold together; [] if none does."""
    best: list[str] = []
    fewest = 0
    for at in range(_PART, len(word) - _PART + 1):
        first, second = word[:at], word[at:]
        if first in STOP or second in STOP:
            continue
        left = holders(_term(first))
        both = left and len(left & holders(_term(second)))
        if both and (not best or both < fewest):
            best, fewest = [_term(first), _term(second)], both
    return best


def _term(word: str) -> str:
    found: list[str] = []
    analyse(word, found, NO_WORDS)
    return found[0]
