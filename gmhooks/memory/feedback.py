"""What a weak search tells its caller: how little of the question the memory knows, and which words it does know.

Text beside the answer only: the facts and their order are the same without it.
"""

from __future__ import annotations

from math import log

from gmhooks.recall.engine import Ranked
from gmhooks.recall.lexical import Term
from gmhooks.store.env import Store
from gmhooks.store.facts import get
from gmhooks.store.layout import DOC_MASK
from gmhooks.store.postings import df
from gmhooks.text.tokens import terms

_STRONG_RATIO = 0.5
_STRONG_OVERLAP = 2
_COMMON = 0.25
_FEWEST = 4
_MOST = 10
_SAMPLE = 200
_QUESTION_WORDS = (
    "how what which who whom whose when where why does do did can could should would will shall must may might long much "
    "many often soon our your their"
)


def feedback(store: Store, ranked: Ranked) -> str | None:
    """Three lines for a weak match; None for a strong one, for an empty question, or when nothing was found."""
    if not ranked.terms or not ranked.hits:
        return None
    asking = {term for word in _QUESTION_WORDS.split() for term in terms(word)}
    content = [term for term in ranked.terms if term.name not in asking] or ranked.terms
    known = sum(1 for term in content if term.df)
    overlap = max(len(hit.matched) for hit in ranked.hits)
    if known >= _STRONG_RATIO * len(content) and overlap >= _STRONG_OVERLAP:
        return None
    words = _nearby(store, ranked)
    if not words:
        return None
    return (
        f"(weak match: memory knows {known} of the {len(content)} words that count in this question)\n"
        f"nearby vocabulary: {', '.join(words)}\n"
        "Search once more with one of these words; if one means the same as yours, record it with memory_alias."
    )


def _nearby(store: Store, ranked: Ranked) -> list[str]:
    """Words that stand beside the known ones, strongest first; rare words of the best facts if there are too few."""
    asked = {term.name for term in ranked.terms}
    counts: dict[str, int] = {}
    homes: dict[str, str] = {}
    for text in _speaking(store, ranked):
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


def _speaking(store: Store, ranked: Ranked) -> list[str]:
    """Texts of facts that hold a known word: the best ones, then a sample of the others."""
    texts = {hit.doc: hit.fact.text for hit in ranked.hits if hit.matched}
    for term in sorted(ranked.terms, key=_rarest):
        for posting in term.postings:
            doc = posting & DOC_MASK
            if len(texts) >= _SAMPLE:
                return list(texts.values())
            if doc not in texts:
                fact = get(store, ranked.ns.number, doc)
                if fact is not None:
                    texts[doc] = fact.text
    return list(texts.values())


def _rarest(term: Term) -> tuple[int, str]:
    return term.df, term.name


def _as_written(term: str, text: str) -> str:
    """The word of the text that the term stands for."""
    for word in text.split():
        bare = word.strip(".,;:!?()[]{}\"'`")
        if term in terms(bare):
            return bare.casefold() if bare.istitle() else bare
    return term
