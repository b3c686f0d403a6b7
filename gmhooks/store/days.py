"""Hot: the UTC day each fact was written, as runs of fact numbers, so that ages need no records.

Facts are numbered in writing order and many are written on one day: a namespace of years is a few hundred runs.
"""

from __future__ import annotations

from gmhooks.store.layout import DAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader

DAY_US = 86_400_000_000
LAST_DAY = 0xFFFF
DAY_BITS = 16


def day(created_us: int) -> int:
    """UTC days since 1970-01-01, within 16 bits."""
    return min(max(created_us // DAY_US, 0), LAST_DAY)


def runs(store: Reader, number: int) -> tuple[Sequence[int], list[int]]:
    """Of every run of facts written on one day: the first fact number, and the UTC day; by ascending fact number."""
    raw = store.get(DAYS, number.to_bytes(4, "big"))
    if not raw:
        return [], []
    # An entry is `first fact number << DAY_BITS | day` in 8 bytes, and fact numbers have less than 32 bits.
    firsts = memoryview(raw[DAY_BITS // 8 :] + bytes(DAY_BITS // 8)).cast("I")[::2]
    return firsts, memoryview(raw).cast("H")[::4].tolist()


def day_of(runs: tuple[Sequence[int], list[int]], doc: int) -> int:
    """The day of one fact number, by the runs of its namespace; 0 for a number before the first run."""
    firsts, days = runs
    low, high = 0, len(days)
    while low < high:
        middle = low + high >> 1
        if firsts[middle] <= doc:
            low = middle + 1
        else:
            high = middle
    return days[low - 1] if low else 0


def record(store: Store, number: int, doc: int, created_us: int) -> None:
    """Note the day of the namespace's newest fact number (write)."""
    key = number.to_bytes(4, "big")
    raw = store.get(DAYS, key) or b""
    written = day(created_us)
    if not raw or int.from_bytes(raw[-8:], "little") & LAST_DAY != written:
        store.put(DAYS, key, raw + (doc << DAY_BITS | written).to_bytes(8, "little"))
