"""Hot: the recency signal. Named facts share one rank per 30-day age bucket; ranking each by age would drown the match.

A step of a binary search takes Python a thousand instructions. Where fact numbers follow time, a bucket is a stretch of
them, and one sort of the borders among what they divide finds every place at once.
"""

from __future__ import annotations

from gmhooks.store.days import DAY_US
from gmhooks.store.layout import DOC_MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.recall.lexical import Term
    from gmhooks.recall.pool import Pool

BUCKET_DAYS = 30
_SAMPLE = 4  # so many facts a bucket of the widest term are likely to fill all buckets


def bucket(today: int, written: int) -> int:
    """30-day age bucket of a fact written on UTC day `written`; days after `today` count as today."""
    return (today - written) // BUCKET_DAYS if written < today else 0


def today(now_us: int) -> int:
    """UTC day number of a time."""
    return now_us // DAY_US


def starts(pool: Pool, now_day: int) -> list[int]:
    """First fact number of every bucket that holds facts, oldest first; [] where fact numbers do not follow time."""
    firsts, days = pool.runs
    if not (days and pool.by_number):
        return []
    ages = range(bucket(now_day, days[0]) - 1, bucket(now_day, days[-1]) - 1, -1)
    borders = [now_day - BUCKET_DAYS * age - BUCKET_DAYS + 1 for age in ages]  # the first day of each bucket but the oldest
    merged = sorted(borders + days)
    found = [0]
    at = 0
    for passed, border in enumerate(borders):
        at = merged.index(border, at)
        first = firsts[at - passed]
        if first != found[-1]:
            found.append(first)
    return found


def buckets(pool: Pool, starts: list[int], docs: list[int], now_day: int) -> list[int]:
    """A number for the bucket of each fact, ascending with age."""
    if starts:
        order = sorted(starts + docs, reverse=True)
        younger = {doc: count for count, doc in enumerate(sorted(docs, reverse=True))}
        return [order.index(doc) - younger[doc] for doc in docs]
    return [bucket(now_day, written) for written in pool.days(docs)]


def ranks(
    pool: Pool, starts: list[int], named: Callable[[], list[int]], terms: list[Term], now_day: int
) -> dict[int, int]:  # fmt: skip
    """Dense rank, youngest = 1, of every bucket that occurs among the named facts."""
    seen: list[int] = []
    if starts:
        widest = max([term.postings for term in terms], key=len, default=[])
        each = len(widest) // (_SAMPLE * len(starts))
        if each:
            seen = _filled(starts, [value & DOC_MASK for value in widest[::each]])
        if len(seen) < len(starts):
            seen = _filled(starts, named())
    else:
        seen = sorted(set(buckets(pool, starts, named(), now_day)))
    return {found: rank for rank, found in enumerate(seen, 1)}


def _filled(starts: list[int], docs: list[int]) -> list[int]:
    """Numbers of the buckets that hold any of these facts, youngest first."""
    merged = sorted(starts + docs)
    places = []
    at = 0
    for first in starts:
        at = merged.index(first, at)
        places.append(at)
    ends = [*places[1:], len(merged)]
    return [age for age in range(len(starts)) if ends[-1 - age] - places[-1 - age] > 1]
