"""Hot: the recency signal. Named facts share one rank per 30-day age bucket; ranking each by age would drown the match."""

from __future__ import annotations

from gmhooks.store.days import DAY_US, day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.pool import Pool

BUCKET_DAYS = 30
_SAMPLE = 32


def bucket(today: int, written: int) -> int:
    """30-day age bucket of a fact written on UTC day `written`; days after `today` count as today."""
    return (today - written) // BUCKET_DAYS if written < today else 0


def today(now_us: int) -> int:
    """UTC day number of a time."""
    return now_us // DAY_US


def one_bucket(pool: Pool, now_day: int) -> bool:
    """Whether every fact is of one bucket, told from the first and the last."""
    if not pool.by_number or not pool.ns.next_doc:
        return False
    return bucket(now_day, pool.days([0])[0]) == bucket(now_day, day(pool.ns.last_created_us))


def ranks(pool: Pool, docs: list[int], now_day: int) -> dict[int, int]:
    """Dense rank, youngest = 1, of every bucket that occurs among the facts `docs`."""
    if pool.by_number and len(docs) > 2 * _SAMPLE:
        seen = _sampled(pool, sorted(docs), now_day)
    else:
        seen = _buckets(pool, docs, now_day)
    return {found: rank for rank, found in enumerate(sorted(set(seen)), 1)}


def _buckets(pool: Pool, docs: list[int], now_day: int) -> list[int]:
    return [bucket(now_day, written) for written in pool.days(docs)]


def _sampled(pool: Pool, docs: list[int], now_day: int) -> list[int]:
    """Every bucket of ascending numbers that follow time: only gaps between neighbours of a sample are read in full."""
    step = len(docs) // _SAMPLE
    places = [*range(0, len(docs) - 1, step), len(docs) - 1]
    seen = _buckets(pool, [docs[place] for place in places], now_day)
    for at in range(1, len(places)):
        if seen[at - 1] - seen[at] > 1:
            seen += _buckets(pool, docs[places[at - 1] + 1 : places[at]], now_day)
    return seen
