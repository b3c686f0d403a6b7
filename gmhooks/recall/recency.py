"""Hot: the recency signal. Named facts share one rank per 30-day age bucket; ranking each by age would drown the match."""

from __future__ import annotations

from gmhooks.recall.lexical import first_from
from gmhooks.store.days import DAY_BITS, DAY_US, LAST_DAY, day_of
from gmhooks.store.layout import DOC_BITS, DOC_MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.recall.lexical import Term
    from gmhooks.recall.pool import Pool

BUCKET_DAYS = 30
_NONE = 1 << 62
_FEW = 32


def bucket(today: int, written: int) -> int:
    """30-day age bucket of a fact written on UTC day `written`; days after `today` count as today."""
    return (today - written) // BUCKET_DAYS if written < today else 0


def today(now_us: int) -> int:
    """UTC day number of a time."""
    return now_us // DAY_US


def one_bucket(pool: Pool, now_day: int) -> bool:
    """Whether every fact is of one bucket, told from the first and the last run of days."""
    return pool.by_number and bool(pool.spans) and _span_of_buckets(pool.spans, now_day) == 1


def ranks(pool: Pool, named: Callable[[], list[int]], terms: list[Term], now_day: int) -> dict[int, int]:
    """Dense rank, youngest = 1, of every bucket that occurs among the named facts."""
    seen = _sampled(pool, terms, now_day) if pool.by_number and pool.spans else set()
    if not seen:
        docs = named()
        if pool.by_number and len(docs) > _FEW:
            seen = _walked(pool.spans, sorted(docs), now_day)
        else:
            seen = {bucket(now_day, written) for written in pool.days(docs)}
    return {found: rank for rank, found in enumerate(sorted(seen), 1)}


def _sampled(pool: Pool, terms: list[Term], now_day: int) -> set[int]:
    """Every bucket there can be, if facts that hold the widest term fill them all already; else nothing."""
    most = _span_of_buckets(pool.spans, now_day)
    widest = max([term.postings for term in terms], key=len, default=[])
    if len(widest) <= most:
        return set()
    head = widest[len(widest) >> 1] >> DOC_BITS
    start = first_from(widest, head << DOC_BITS, 0, len(widest))
    end = first_from(widest, head + 1 << DOC_BITS, start, len(widest))
    seen = _walked(pool.spans, [value & DOC_MASK for value in widest[start:end]], now_day)
    return seen if len(seen) == most else set()


def _span_of_buckets(spans: list[int], now_day: int) -> int:
    """How many buckets the facts of a namespace in order can fill at most."""
    return bucket(now_day, spans[0] & LAST_DAY) - bucket(now_day, spans[-1] & LAST_DAY) + 1


def _walked(spans: list[int], docs: list[int], now_day: int) -> set[int]:
    """Every bucket of ascending fact numbers that follow time: one look at the oldest fact of each."""
    seen = set()
    at = 0
    while at < len(docs):
        found = bucket(now_day, day_of(spans, docs[at]))
        seen.add(found)
        younger = _first_of(spans, now_day - BUCKET_DAYS * found + 1) if found else _NONE
        at = first_from(docs, younger, at, len(docs))
    return seen


def _first_of(spans: list[int], written: int) -> int:
    """Number of the first fact written on or after a day, in a namespace whose numbers follow time."""
    low, high = 0, len(spans)
    while low < high:
        middle = low + high >> 1
        if spans[middle] & LAST_DAY < written:
            low = middle + 1
        else:
            high = middle
    return spans[low] >> DAY_BITS if low < len(spans) else _NONE
