"""Hot: the keyword signal. BM25 with a fixed pivot, summed in one canonical order, so that equal corpora give equal bits.

A posting list is a sequence of runs of equal (tf, length); every fact of a run gains the same amount. Facts go by their
*key*, the posting they would have with tf 1: nearly all postings are that already, so they need no unpacking here.
Spooled facts have no posting; their key is their number, -1 or less.
"""

from __future__ import annotations

from gmhooks.recall.logarithm import ln
from gmhooks.store.layout import DOC_BITS, DOC_MASK, LENGTH_MASK, LENGTH_SHIFT, TF_MASK, TF_SHIFT
from gmhooks.store.postings import lookup, posting, weight
from gmhooks.text.tokens import terms as analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import TypeAlias

    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact

    _Run: TypeAlias = tuple[float, list[int]]  # a gain, and the keys of the facts that gain it

# What a term counts that stands for a mistyped one.
DISCOUNT = 0.7
_HEAD_TF = TF_SHIFT - LENGTH_SHIFT
# Up to so many postings, looking at all of them beats a binary search in Python.
_SCANNED = 256
# More than rounding could make of a sum of gains.
_SLACK = 1e-9


class Term:
    """One distinct query term with its statistics over the eligible indexed facts. `gains`: what it gives to facts whose
    posting is not their key (tf above 1, spooled)."""

    __slots__ = ("df", "gains", "idf", "name", "postings")

    def __init__(self, name: str, postings: list[int], idf: float) -> None:
        self.name = name
        self.postings = postings
        self.df = len(postings)
        self.idf = idf
        self.gains: dict[int, float] = {}


def matched(present: list[tuple[int, Term]], key: int) -> list[int]:
    """Positions of the terms that the fact of a key holds (after `score`). `present`: the terms that any fact holds."""
    return [
        at
        for at, term in present
        if key in term.gains or (key in term.postings if len(term.postings) <= _SCANNED else _found(term.postings, key))
    ]


def _found(postings: list[int], key: int) -> bool:
    at = first_from(postings, key, 0, len(postings))
    return at < len(postings) and postings[at] == key


def idf(live: int, df: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)): positive for every term."""
    return ln(1.0 + (live - df + 0.5) / (df + 0.5))


def look_up(store: Reader, number: int, live: int, names: list[str], eligible: Container[int] | None) -> list[Term]:
    """The distinct query terms in the order given; postings outside `eligible` are left out."""
    found = []
    known: dict[int, float] = {}
    distinct = list(dict.fromkeys(names))
    for name, postings in zip(distinct, lookup(store, number, distinct), strict=True):
        if eligible is not None:
            postings = [value for value in postings if value & DOC_MASK in eligible]
        df = len(postings)
        if df not in known:
            known[df] = idf(live, df)
        found.append(Term(name, postings, known[df]))
    return found


def add_text(terms: list[Term], fact: Fact) -> None:
    """Let a fact that is not indexed gain by the same formula; sets its length."""
    words = analyse(fact.text)
    fact.length = len(words)
    for term in terms:
        tf = words.count(term.name)
        if tf:
            term.gains[fact.doc] = term.idf * weight(min(tf, TF_MASK), min(len(words), LENGTH_MASK))


def score(terms: list[Term]) -> dict[int, float]:
    """BM25 of every fact that holds a term, by key. Rarest term first, then by code points: sums are reproducible."""
    scores: dict[int, float] = {}
    for runs in _ordered(terms):
        for gain, keys in runs:
            gains = dict.fromkeys(keys, gain)
            for key in gains.keys() & scores.keys():
                gains[key] = scores[key] + gain
            scores.update(gains)
    return scores


def leading(terms: list[Term], count: int) -> dict[int, float]:
    """What `score` says of the first `count` facts by score, oldest first among equals, and of some others. No fact may be
    spooled.

    Sets find the facts that hold several terms. The others of a run gain the same, so only the oldest of them can lead. Once
    the terms that are left gain less together than `count` facts surely have (`floor`), they can lift no fact that was not
    `seen` (MaxScore: Turtle and Flood, *Query evaluation: strategies and optimizations*, 1995).
    """
    ordered = _ordered(terms)
    floor = max([gain for runs in ordered for gain, keys in runs if len(keys) >= count], default=0.0) - _SLACK
    least = left = sum([max(runs)[0] for runs in ordered])
    seen: set[int] = set()
    several: set[int] = set()
    alone: list[_Run] = []
    every: list[_Run] = []
    for runs in ordered:
        lifts = left >= floor
        left -= max(runs)[0]
        for gain, keys in runs:
            again = seen.intersection(keys)
            several |= again
            least = min(least, gain)
            every.append((gain, keys if lifts else [*again]))
        if lifts:
            alone += runs
            seen.update(*[keys for _, keys in runs])
            if len(several) >= count:
                floor = max(floor, 2 * least - _SLACK)
    scores: dict[int, float] = {}
    for gain, keys in every:
        for key in several.intersection(keys):
            scores[key] = scores.get(key, 0.0) + gain
    for gain, keys in alone:
        for key in keys[:count] if gain >= floor else ():
            scores.setdefault(key, gain)
    return scores


def _ordered(terms: list[Term]) -> list[list[_Run]]:
    """The runs of every term that facts hold, rarest term first."""
    return [_runs(term) for term in sorted(terms, key=_canonical) if term.postings or term.gains]


def _runs(term: Term) -> list[_Run]:
    """What a term gives to which facts; notes in `gains` those of a higher tf."""
    found = [(gain, [key]) for key, gain in term.gains.items() if key < 0]
    postings = term.postings
    start, count = 0, len(postings)
    while start < count:
        head = postings[start] >> DOC_BITS
        end = _run_end(postings, head, start, count)
        tf, length = head >> _HEAD_TF & TF_MASK, head & LENGTH_MASK
        gain = term.idf * weight(tf, length)
        keys = postings[start:end] if end - start < count else postings
        if tf > 1:
            base = posting(1, length, 0)
            keys = [base | value & DOC_MASK for value in keys]
            term.gains.update(dict.fromkeys(keys, gain))
        found.append((gain, keys))
        start = end
    return found


def doc_of(key: int) -> int:
    """Fact number of a key."""
    return key & DOC_MASK if key >= 0 else key


def _canonical(term: Term) -> tuple[int, str]:
    return term.df, term.name


def _run_end(postings: list[int], head: int, low: int, high: int) -> int:
    """Position after the run of `head` that starts at `low`."""
    if postings[high - 1] >> DOC_BITS == head:
        return high
    return first_from(postings, head + 1 << DOC_BITS, low, high)


def first_from(ascending: list[int], target: int, low: int, high: int) -> int:
    """Position of the first number >= target within [low, high); `high` if there is none."""
    while low < high:
        middle = low + high >> 1
        if ascending[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low
