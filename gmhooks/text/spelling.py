"""Hot by layer, read only for words that memory does not know: plain words with their terms, and words one edit apart."""

from __future__ import annotations

from gmhooks.text.tokens import chunks_of_prompt
from gmhooks.text.words import STOP, analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

SHORTEST = 5
_MARKS = "._-/'@+#:"
_BETWEEN = str.maketrans(_MARKS, " " * len(_MARKS))


def spelt_words(text: str, initials: Container[str] | None = None) -> dict[str, str]:
    """Every word of five letters and more, casefolded, with its term; of a name also its parts that are such words, of a
    long prompt only both ends. With `initials` only what begins with one of these letters."""
    found: dict[str, str] = {}
    pieces = {piece for piece in " ".join(chunks_of_prompt(text)).translate(_BETWEEN).split() if len(piece) >= SHORTEST}
    for piece in pieces if initials is None else [piece for piece in pieces if piece[0].casefold() in initials]:
        terms: list[str] = []
        analyse(piece, terms, STOP)
        word = piece.casefold()
        if len(terms) == 1 and word.isalpha():
            found[word] = terms[0]
        else:
            found.update([(term, term) for term in terms if term.isalpha()])
    return {word: term for word, term in found.items() if len(word) >= SHORTEST}


def one_edit(word: str, other: str) -> bool:
    """Whether one letter more, one less, another one, or two neighbours changed over make one word the other (Damerau, *A
    technique for computer detection and correction of spelling errors*, 1964)."""
    if len(word) > len(other):
        word, other = other, word
    if len(other) - len(word) > 1 or word == other:
        return False
    at = 0
    while at < len(word) and word[at] == other[at]:
        at += 1
    if len(word) < len(other):
        return word[at:] == other[at + 1 :]
    changed_over = word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
    return changed_over or word[at + 1 :] == other[at + 1 :]
