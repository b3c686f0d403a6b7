"""What a weak search tells its caller: how little of the question the memory knows, and which words it does know.

Text beside the answer only: the facts and their order are the same without it.
"""

from __future__ import annotations

from functools import cache
from math import log

from gmhooks.recall.engine import Ranked
from gmhooks.recall.fuse import level
from gmhooks.store.env import Store
from gmhooks.store.facts import get
from gmhooks.store.layout import DOC_MASK
from gmhooks.store.postings import df, lookup
from gmhooks.text.tokens import terms

_STRONG_RATIO = 0.5
_STRONG_OVERLAP = 2
_COMMON = 0.25
_FEWEST = 4
_MOST = 10
_SAMPLE = 50
_QUESTION_WORDS = (
    "how what which who whom whose when where why does do did can could should would will shall must may might long much "
    "many often soon our your their"
)


def feedback(store: Store, ranked: Ranked, min_confidence: int | None) -> str | None:
    """Three lines for a weak match; None for a strong one, for an empty question, or when nothing was found. Words come only
    from facts that the minimum confidence (as stored) admits."""
    if not ranked.terms or not ranked.hits or not is_weak(ranked):
        return None
    known, content = _coverage(ranked)
    words = _nearby(store, ranked, level(min_confidence) if min_confidence is not None else 0)
    if not words:
        return None
    return (
        f"(weak match: memory knows {known} of the {content} words that count in this question)\n"
        f"nearby vocabulary: {', '.join(words)}\n"
        "Search once more with one of these words; if one means the same as yours, record it with memory_alias."
    )


def is_weak(ranked: Ranked) -> bool:
    """Whether memory knows less than half of what a question asks for, or no returned fact holds two words of it."""
    known, content = _coverage(ranked)
    overlap = max([len(hit.matched) for hit in ranked.hits], default=0)
    return known < _STRONG_RATIO * content or overlap < _STRONG_OVERLAP


def _coverage(ranked: Ranked) -> tuple[int, int]:
    """(terms that facts hold, all terms) of what the question asks for."""
    content = [term for term in ranked.terms if term.name not in question_terms()] or ranked.terms
    return sum(1 for term in content if term.df), len(content)


@cache
def question_terms() -> frozenset[str]:
    """The terms of question words: they say nothing about what is asked for."""
    return frozenset(term for word in _QUESTION_WORDS.split() for term in terms(word))


def _nearby(store: Store, ranked: Ranked, lowest: int) -> list[str]:
    """Words that stand beside the known ones, strongest first; rare words of the best facts if there are too few."""
    asked = {term.name for term in ranked.terms}
    counts: dict[str, int] = {}
    homes: dict[str, str] = {}
    for text in _speaking(store, ranked, lowest):
        for term in dict.fromkeys(terms(text)):
            if term not in asked:
                counts[term] = counts.get(term, 0) + 1
                homes.setdefault(term, text)
    rarity = {term: df(store, ranked.ns.number, term) for term in counts}
    scores = {
        term: count * log((ranked.live + 1) / (rarity[term] + 1))
        for term, count in counts.items()
        if rarity[term] <= _COMMON * ranked.live
    }
    if len(scores) < _FEWEST:
        homes = {term: hit.fact.text for hit in ranked.hits[::-1] for term in terms(hit.fact.text) if term not in asked}
        scores = {term: -float(df(store, ranked.ns.number, term)) for term in homes}
    best = sorted(scores, key=lambda term: (-scores[term], term))[:_MOST]
    return list(dict.fromkeys(_as_written(term, homes[term]) for term in best))


def _speaking(store: Store, ranked: Ranked, lowest: int) -> list[str]:
    """Texts of facts that hold a known word: the best ones, then a sample of the others."""
    texts = {hit.fact.doc: hit.fact.text for hit in ranked.hits if hit.matched}
    for term in sorted(ranked.terms, key=lambda term: (term.df, term.name)):
        for posting in lookup(store, ranked.ns.number, [term.name])[0]:
            if len(texts) >= _SAMPLE:
                return list(texts.values())
            doc = posting & DOC_MASK
            fact = get(store, ranked.ns.number, doc) if doc not in texts else None
            if fact is not None and level(fact.confidence) >= lowest:
                texts[doc] = fact.text
    return list(texts.values())


def _as_written(term: str, text: str) -> str:
    """The word of the text that the term stands for."""
    for word in text.split():
        bare = word.strip(".,;:!?()[]{}\"'`")
        if term in terms(bare):
            return bare.casefold() if bare.istitle() else bare
    return term
