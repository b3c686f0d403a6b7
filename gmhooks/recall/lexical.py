"""Hot: the keyword signal. BM25 with a fixed pivot, summed in one canonical order, so that equal corpora give equal bits.

A posting list is a sequence of runs of equal (tf, length); every fact of a run gains the same amount.
"""

from __future__ import annotations

from math import log

from gmhooks.store.layout import DOC_BITS, DOC_MASK, LENGTH_FLOOR, LENGTH_MASK, LENGTH_SHIFT, TF_MASK, TF_SHIFT
from gmhooks.store.postings import lookup, weight
from gmhooks.text.tokens import terms as analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact

_SAMPLE = 8


class Term:
    """One distinct query term: its statistics over the eligible facts and its runs [(tf and length, start, end)]."""

    __slots__ = ("df", "idf", "name", "postings", "runs")

    def __init__(self, name: str, postings: list[int], live: int) -> None:
        self.name = name
        self.postings = postings
        self.df = len(postings)
        self.idf = idf(live, self.df)
        self.runs: list[tuple[int, int, int]] = []

    def holds(self, fact: Fact) -> bool:
        """Whether an indexed fact has this term (after `score`)."""
        length = min(max(fact.length, LENGTH_FLOOR), LENGTH_MASK)
        for head, start, end in self.runs:
            if head & LENGTH_MASK == length:
                target = head << DOC_BITS | fact.doc
                at = _first_from(self.postings, target, start, end)
                if at < end and self.postings[at] == target:
                    return True
        return False


def idf(live: int, df: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)): positive for every term."""
    return log(1.0 + (live - df + 0.5) / (df + 0.5))


def look_up(store: Store, number: int, live: int, names: list[str], eligible: Container[int] | None) -> list[Term]:
    """The distinct query terms in the order given; postings outside `eligible` are left out."""
    found = []
    for name in dict.fromkeys(names):
        postings = lookup(store, number, name)
        if eligible is not None:
            postings = [value for value in postings if value & DOC_MASK in eligible]
        found.append(Term(name, postings, live))
    return found


def canonical(terms: list[Term]) -> list[Term]:
    """The order of summation: rarest first, then by code points."""
    return sorted(terms, key=lambda term: (term.df, term.name))


def score(terms: list[Term]) -> dict[int, float]:
    """BM25 of every fact that holds a term, by fact number; `terms` in canonical order."""
    scores: dict[int, float] = {}
    get = scores.get
    mask = DOC_MASK
    for term in terms:
        postings = term.postings
        first = not scores
        start = 0
        while start < term.df:
            head = postings[start] >> DOC_BITS
            end = _run_end(postings, head, start)
            term.runs.append((head, start, end))
            gain = term.idf * weight(head >> (TF_SHIFT - LENGTH_SHIFT) & TF_MASK, head & LENGTH_MASK)
            if first:
                scores.update(dict.fromkeys([value & mask for value in postings[start:end]], gain))
            else:
                for value in postings[start:end]:
                    doc = value & mask
                    scores[doc] = get(doc, 0.0) + gain
            start = end
    return scores


def score_text(terms: list[Term], text: str) -> tuple[float, int, list[str]]:
    """(BM25, length, terms held) of a text that is not indexed, by the same formula; `terms` in canonical order."""
    words = analyse(text)
    total = 0.0
    held = []
    for term in terms:
        tf = min(words.count(term.name), TF_MASK)
        if tf:
            total += term.idf * weight(tf, min(len(words), LENGTH_MASK))
            held.append(term.name)
    return total, len(words), held


def leaders(scores: dict[int, float], count: int) -> list[int]:
    """Every fact number whose score is at least the `count`-th best, in no order."""
    if count >= len(scores):
        return list(scores)
    values = list(scores.values())
    if len(values) > _SAMPLE * count:
        sample = sorted(values[::_SAMPLE], reverse=True)
        floor = sample[min(count // 4 + 2, len(sample) - 1)]
        found = [doc for doc, value in scores.items() if value >= floor]
        if len(found) >= count:
            scores = {doc: scores[doc] for doc in found}
            values = list(scores.values())
    values.sort(reverse=True)
    floor = values[count - 1]
    return [doc for doc, value in scores.items() if value >= floor]


def _run_end(postings: Sequence[int], head: int, start: int) -> int:
    last = len(postings) - 1
    if postings[last] >> DOC_BITS == head:
        return last + 1
    return _first_from(postings, head + 1 << DOC_BITS, start + 1, last)


def _first_from(postings: Sequence[int], target: int, low: int, high: int) -> int:
    """Position of the first posting >= target within [low, high)."""
    while low < high:
        middle = low + high >> 1
        if postings[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low
