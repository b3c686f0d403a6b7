"""Hot by layer, read only where `packet_policy=lexical`: whole facts in a budget of bytes, by similarity and size."""

from __future__ import annotations

from gmhooks.recall.engine import recall
from gmhooks.recall.logarithm import ln

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.recall.engine import Hit, Ranked
    from gmhooks.store.pages import Reader

CANDIDATES = 32
MOST = 3
BUDGET = 832
_BETWEEN = 2
_LARGEST_TEXT = 64 << 10
_LARGEST_POOL = 256 << 10


def terms_of(text: str) -> list[str]:
    """Runs of letters and digits after NFKC and full case folding, in order; no word is left out."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", text)
    text = text.casefold()
    return "".join([letter if letter.isalnum() else " " for letter in text]).split()


def select(query: str, texts: Sequence[str], most: int = MOST, budget: int = BUDGET) -> list[int]:
    """Positions of at most `most` texts that fit into `budget` UTF-8 bytes, two between neighbours, best first; texts that
    do not fit are passed over. Score: cosine of the tf·idf vectors, divided by the square root of the text's bytes, with
    idf = 1 + ln((1 + n) / (1 + df)) over the texts; equal scores keep their order. ValueError for unsound input."""
    sizes = _checked(query, texts, most, budget)
    bags = [_counts(text) for text in texts]
    df: dict[str, int] = {}
    for bag in bags:
        for term in bag:
            df[term] = df.get(term, 0) + 1
    asked = _counts(query)
    idf = {term: 1.0 + ln((1 + len(texts)) / (1 + df.get(term, 0))) for term in {*df, *asked}}
    scores = [_cosine(asked, bag, idf) / size**0.5 for bag, size in zip(bags, sizes, strict=True)]
    chosen: list[int] = []
    used = 0
    for at in sorted(range(len(texts)), key=lambda at: -scores[at]):
        needed = sizes[at] + (_BETWEEN if chosen else 0)
        if len(chosen) < most and used + needed <= budget:
            chosen.append(at)
            used += needed
    return chosen


def repack(store: Reader, query: str, asked: list[Ranked], native: list[list[Hit]]) -> tuple[list[list[Hit]], str]:
    """The packets of both namespaces instead of what the gate chose, and the receipt: for each which way took effect, how
    many facts there are of how many, their bytes and, where it is not the lexical way, the reason."""
    chosen, said = [], []
    for name, ranked, fallback in zip(("project", "shared"), asked, native, strict=True):
        terms = [term.name for term in ranked.terms]
        pool = recall(store, ranked.ns, terms, ranked.now_us, CANDIDATES, fill=False).hits if ranked.live else []
        hits, reason = fallback, ""
        try:
            hits = [pool[at] for at in select(query, [hit.fact.text for hit in pool])] if pool else []
            reason = "" if hits else "no_fact_fits_budget" if pool else "no_candidates"
        except ValueError:
            reason = "invalid_selection_input"
        effective = "native" if reason == "invalid_selection_input" else "lexical" if hits else "none"
        size = _total([len(hit.fact.text.encode()) for hit in hits])
        said.append(f"{name} {effective} {len(hits)}/{len(pool)} {size} bytes {reason}".rstrip())
        chosen.append(hits)
    return chosen, "; ".join(said)


def _checked(query: str, texts: Sequence[str], most: int, budget: int) -> list[int]:
    """Sizes of the texts in UTF-8 bytes. ValueError; UnicodeEncodeError, which is one, for lone surrogates."""
    sizes = [len(text.encode()) for text in texts]
    asked = len(query.encode())
    if most < 1 or budget < 1 or len(texts) > CANDIDATES:
        raise ValueError("no room, or too many texts")
    if not query.strip() or not all(map(str.strip, texts)) or len(set(texts)) < len(texts):
        raise ValueError("a blank or a repeated text")
    if max(sizes, default=0) > _LARGEST_TEXT or asked > _LARGEST_TEXT or sum(sizes) + asked > _LARGEST_POOL:
        raise ValueError("texts too large")
    return sizes


def _counts(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms_of(text):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _cosine(left: dict[str, int], right: dict[str, int], idf: dict[str, float]) -> float:
    dot = sum([left[term] * right[term] * idf[term] ** 2 for term in sorted(left.keys() & right.keys())])
    lengths = [sum([(bag[term] * idf[term]) ** 2 for term in sorted(bag)]) for bag in (left, right)]
    return dot / (lengths[0] * lengths[1]) ** 0.5 if dot else 0.0


def _total(sizes: list[int]) -> int:
    return sum(sizes) + _BETWEEN * max(len(sizes) - 1, 0)
