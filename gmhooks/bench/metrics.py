"""How good a ranking is, by the usual measures; ranks count from 1, and a fact that was not found has none.

R@k: share of a question's gold facts among the first k. H@k: 1 if any is. MRR: one over the best rank (Voorhees, 1999).
nDCG@10: discounted cumulative gain with binary relevance over that of the best order (Järvelin and Kekäläinen, 2002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log2

CUTS = (1, 3, 5, 8, 10, 20)
_HIT_CUTS = (5, 8, 10)
SHOWN = 8


def ranks(ids: Sequence[str], wanted: Sequence[str]) -> list[float]:
    """The rank of each wanted id; infinity for one that is missing."""
    places = {each: rank for rank, each in enumerate(ids, 1)}
    return [places.get(each, inf) for each in wanted]


def judge(ids: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """The measures of one answered question."""
    found = ranks(ids, gold)
    best = min(found)
    row = {f"R@{k}": sum(rank <= k for rank in found) / len(gold) for k in CUTS}
    row |= {f"H@{k}": float(best <= k) for k in _HIT_CUTS}
    row["MRR"] = 1 / best
    most = sum(1 / log2(rank + 1) for rank in range(1, min(10, len(gold)) + 1))
    row["nDCG@10"] = sum(1 / log2(rank + 1) for rank in found if rank <= 10) / most
    row["P@8"] = sum(rank <= SHOWN for rank in found) / max(1, min(SHOWN, len(ids)))
    row["returned@8"] = float(min(SHOWN, len(ids)))
    row["silent"] = float(not ids)
    return row


def currency(ids: Sequence[str], gold: Sequence[str], stale: Sequence[str]) -> dict[str, float]:
    """Whether what holds now comes before what it replaced, and whether either is among the first 8."""
    new, old = min(ranks(ids, gold)), min(ranks(ids, stale))
    return {"stale@8": float(old <= SHOWN), "current@8": float(new <= SHOWN), "current_first": float(new < old)}


def noise(counts: Sequence[int]) -> dict[str, float]:
    """What unrelated prompts got, from the number of facts of each."""
    return {
        "prompts": len(counts),
        "injected_rate": sum(map(bool, counts)) / len(counts),
        "facts_per_prompt": sum(counts) / len(counts),
    }


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every measure; {} of no rows."""
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]} if rows else {}
