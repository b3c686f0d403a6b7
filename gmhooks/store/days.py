"""Hot: the UTC day each fact was written, packed 1,024 facts a value, so that ages need no records."""

from __future__ import annotations

from gmhooks.store.layout import DAY_BLOCK, DAYS, fact_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store

DAY_US = 86_400_000_000
_LAST_DAY = 0xFFFF


def day(created_us: int) -> int:
    """UTC days since 1970-01-01, within 16 bits."""
    return min(max(created_us // DAY_US, 0), _LAST_DAY)


def of(store: Store, number: int, docs: list[int]) -> list[int]:
    """The day of each fact number, in the order asked."""
    blocks: dict[int, memoryview] = {}
    found = []
    for doc in docs:
        block = doc // DAY_BLOCK
        view = blocks.get(block)
        if view is None:
            view = blocks[block] = memoryview(store.get(DAYS, fact_key(number, block)) or b"").cast("H")
        at = doc % DAY_BLOCK
        found.append(view[at] if at < len(view) else 0)
    return found


def record(store: Store, number: int, doc: int, created_us: int) -> None:
    """Note the day of one fact (write)."""
    key = fact_key(number, doc // DAY_BLOCK)
    at = doc % DAY_BLOCK * 2
    block = bytearray(store.get(DAYS, key) or b"")
    if len(block) < at + 2:
        block.extend(bytes(at + 2 - len(block)))
    block[at : at + 2] = day(created_us).to_bytes(2, "little")
    store.put(DAYS, key, bytes(block))
