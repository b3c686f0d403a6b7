"""Hot: the recency signal. Named facts share one rank per 30-day age bucket; ranking each by age would drown the match."""

from __future__ import annotations

from gmhooks.store.days import DAY_US, of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.records import Namespace

BUCKET_DAYS = 30
_CHUNK = 256


def bucket(today: int, day: int) -> int:
    """30-day age bucket of a fact written on UTC day `day`; days after `today` count as today."""
    return max(today - day, 0) // BUCKET_DAYS


def today(now_us: int) -> int:
    """UTC day number of a time."""
    return now_us // DAY_US


def ranks(store: Store, ns: Namespace, docs: list[int], now_day: int, more: list[int]) -> dict[int, int]:
    """Dense rank, youngest = 1, of every bucket that occurs among indexed facts `docs` and the days `more`."""
    seen = {bucket(now_day, day) for day in more}
    most = _possible(store, ns, now_day)
    for at in range(0, len(docs), _CHUNK):
        seen.update([bucket(now_day, day) for day in set(of(store, ns.number, docs[at : at + _CHUNK]))])
        if len(seen) == most and not more:
            break
    return {found: rank for rank, found in enumerate(sorted(seen), 1)}


def _possible(store: Store, ns: Namespace, now_day: int) -> int:
    """Number of buckets from the namespace's first fact to its last; 0 where numbers do not follow time."""
    if not ns.ordered or not ns.next_doc:
        return 0
    first, last = of(store, ns.number, [0, ns.next_doc - 1])
    return bucket(now_day, first) - bucket(now_day, last) + 1
