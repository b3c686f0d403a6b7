"""The naive judge: ranks a list of facts by reading every text. It shares nothing with the engine but the analyzer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gmhooks.text.tokens import terms

LEVELS = {0: 1, 1: 0, 2: 1, 3: 2}
DAY_US = 24 * 3600 * 1_000_000


@dataclass(frozen=True)
class Entry:
    """A live content fact as a person would list it."""

    id: bytes
    text: str
    created_us: int
    confidence: int = 0
    spooled: bool = False


@dataclass(frozen=True)
class Row:
    """What the judge expects of one returned fact; `keyword` within the rounding of two logarithms."""

    id: bytes
    keyword: float
    vector_rank: int
    keyword_rank: int
    recency_rank: int
    base: float
    final: float


def keyword_scores(
    indexed: list[Entry], everyone: list[Entry], query: Iterable[str], corrected: Collection[str]
) -> dict[bytes, float]:
    """BM25 of every entry that holds a query term; statistics over the indexed ones. Corrected terms count seven tenths."""
    words = {entry.id: terms(entry.text) for entry in everyone}
    df = {term: sum(term in words[entry.id] for entry in indexed) for term in set(query)}
    count = len(indexed)
    scores: dict[bytes, float] = {}
    for term in sorted(df, key=lambda term: (df[term], term)):
        idf = math.log(1.0 + (count - df[term] + 0.5) / (df[term] + 0.5)) * (0.7 if term in corrected else 1.0)
        for entry in everyone:
            tf = words[entry.id].count(term)
            if tf:
                part = tf * 1.9 / (tf + 0.9 * max(len(words[entry.id]), 24) / 24)
                scores[entry.id] = scores.get(entry.id, 0.0) + idf * part
    return scores


def smooth(scores: dict[bytes, float], pool: dict[bytes, Entry], best: list[bytes]) -> dict[bytes, float]:
    """A fifth of the score of each of the 200 best goes to the indexed entry before and after it within ten minutes."""
    line = [entry for entry in pool.values() if not entry.spooled]
    before, after = dict.fromkeys(pool, 0.0), dict.fromkeys(pool, 0.0)
    for older, newer in itertools.pairwise(line):
        if abs(newer.created_us - older.created_us) <= 10 * 60 * 1_000_000:
            before[newer.id] = scores[older.id] if older.id in best[:200] else 0.0
            after[older.id] = scores[newer.id] if newer.id in best[:200] else 0.0
    sums = {i: scores.get(i, 0.0) + 0.2 * (before[i] + after[i]) for i in pool}
    return {i: total for i, total in sums.items() if total > 0}


def rank(
    entries: list[Entry], query: list[str], now_us: int, top_k: int, *, fill: bool = True,
    min_confidence: int | None = None, confidence_weight: float = 0.0, vectors: Iterable[bytes] = (),
    corrected: Collection[str] = (), neighbours: bool = False,
) -> list[Row]:  # fmt: skip
    """The documented ranking, by definition. `vectors`: ids, nearest first."""
    lowest = LEVELS[min_confidence] if min_confidence is not None else 0
    pool = {entry.id: entry for entry in entries if LEVELS[entry.confidence] >= lowest}
    everyone = list(pool.values())
    scores = keyword_scores([entry for entry in everyone if not entry.spooled], everyone, query, corrected)

    by_keyword = sorted(scores, key=lambda i: (-scores[i], pool[i].created_us, i))
    if neighbours:
        scores = smooth(scores, pool, by_keyword)
        by_keyword = sorted(scores, key=lambda i: (-scores[i], pool[i].created_us, i))
    keyword = {i: at for at, i in enumerate(by_keyword, 1)}
    vector = {i: at for at, i in enumerate([i for i in vectors if i in pool], 1)}
    named = keyword.keys() | vector.keys()
    age = {i: max(now_us // DAY_US - pool[i].created_us // DAY_US, 0) // 30 for i in named}
    bucket_rank = {bucket: at for at, bucket in enumerate(sorted(set(age.values())), 1)}
    recency = {i: bucket_rank[age[i]] for i in named}
    others = sorted(pool.keys() - named, key=lambda i: (-pool[i].created_us, i))
    recency.update({i: len(named) + at for at, i in enumerate(others, 1)})

    rows = []
    for i in pool if fill else named:
        base = (1.0 / (60 + vector[i]) if i in vector else 0.0) + (1.0 / (60 + keyword[i]) if i in keyword else 0.0)
        base += 0.5 / (60 + recency[i])
        final = base * (1 + confidence_weight * (LEVELS[pool[i].confidence] - 1))
        rows.append(Row(i, round(scores.get(i, 0.0), 12), vector.get(i, 0), keyword.get(i, 0), recency[i], base, final))
    rows.sort(key=lambda row: (-row.final, pool[row.id].created_us, row.id))
    distinct: dict[str, Row] = {}
    for row in rows:
        distinct.setdefault(pool[row.id].text, row)
    return list(distinct.values())[: max(top_k, 0)]


def newer_first(rows: list[Row], entries: list[Entry]) -> list[Row]:
    """The first eight rows, a newer match first that shares 40 % of the smaller one's idf mass and has half the score."""
    pool = {entry.id: entry for entry in entries}
    words = {entry.id: set(terms(entry.text)) for entry in entries}
    scores = {row.id: row.keyword for row in rows}
    indexed = [entry.id for entry in entries if not entry.spooled]

    def mass(shared: set[str]) -> float:
        dfs = [sum(term in words[i] for i in indexed) for term in shared]
        return sum(sorted(math.log(1.0 + (len(indexed) - df + 0.5) / (df + 0.5)) for df in dfs))

    def replaces(new: Row, old: Row) -> bool:
        mine, theirs = words[new.id], words[old.id]
        similar = mass(mine & theirs) >= 0.4 * min(mass(mine), mass(theirs))
        # Scores of rows are rounded to 12 digits.
        good = scores[new.id] >= 0.5 * scores[old.id] - 1e-12
        return similar and good and pool[new.id].created_us > pool[old.id].created_us

    waiting = [row for row in rows[:8] if row.keyword_rank or row.vector_rank]
    places = [at for at, row in enumerate(rows[:8]) if row in waiting]
    settled = list(rows)
    for place in places:
        row = waiting[0]
        while newer := [other for other in waiting if replaces(other, row)]:
            row = min(newer, key=lambda other: (-pool[other.id].created_us, other.id))
        settled[place] = row
        waiting.remove(row)
    return settled
