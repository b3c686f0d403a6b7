"""Hot: the recency signal. Named facts share one rank per 30-day age bucket; ranking each by age would drown the match."""

from __future__ import annotations

from gmhooks.recall.lexical import first_from
from gmhooks.store.days import DAY_BITS, DAY_US, LAST_DAY, day_of
from gmhooks.store.layout import DOC_MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.recall.lexical import Term
    from gmhooks.recall.pool import Pool

BUCKET_DAYS = 30
_NONE = 1 << 62
_SAMPLE = 512


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
    seen: set[int] = set()
    if pool.by_number and pool.spans:
        # Facts that hold the widest term alone often fill every bucket there is; then nothing else can add to that.
        widest = max([term.postings for term in terms], key=len, default=[])
        if len(widest) > _span_of_buckets(pool.spans, now_day):
            seen = _sampled(pool.spans, [value & DOC_MASK for value in widest[:_SAMPLE]], now_day)
    if not seen or len(seen) < _span_of_buckets(pool.spans, now_day):
        seen = {bucket(now_day, written) for written in set(pool.days(named()))}
    return {found: rank for rank, found in enumerate(sorted(seen), 1)}


def _span_of_buckets(spans: list[int], now_day: int) -> int:
    """How many buckets the facts of a namespace in order can fill at most."""
    return bucket(now_day, spans[0] & LAST_DAY) - bucket(now_day, spans[-1] & LAST_DAY) + 1


def _sampled(spans: list[int], docs: list[int], now_day: int) -> set[int]:
    """Buckets of some of these facts: of each next one that may lie in another bucket, if the numbers ascend."""
    seen = set()
    at = 0
    while at < len(docs):
        found = bucket(now_day, day_of(spans, docs[at]))
        seen.add(found)
        younger = _first_of(spans, now_day - BUCKET_DAYS * found + 1) if found else _NONE
        at = first_from(docs, younger, at + 1, len(docs))
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
