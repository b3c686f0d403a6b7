"""Cold: who corrected what. The newest 10,000 corrections that agents made, as JSON, in order."""

from __future__ import annotations

from gmhooks.store.later import present
from gmhooks.store.layout import AUDIT, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store

KEPT = 10_000


def record(store: Store, body: bytes, now_us: int) -> None:
    """Append one entry and drop the oldest beyond 10,000 (write)."""
    cursor = store.cursor(AUDIT)
    number = 1 + int.from_bytes(cursor.key(), "big") if cursor.last() else 0
    key = number.to_bytes(8, "big")
    store.put(AUDIT, key, seal(key, now_us.to_bytes(8, "little") + body))
    for _ in range(store.txn.stat(store.db(AUDIT))["entries"] - KEPT):
        cursor.first()
        cursor.delete()


def record_once(store: Store, body: bytes, now_us: int) -> None:
    """Append the entry of a spooled save, unless it is there already: the writer that filed it may have died before it could
    remove the file (write)."""
    if (now_us, body) not in newest(store, KEPT):
        record(store, body, now_us)


def newest(store: Store, limit: int) -> list[tuple[int, bytes]]:
    """(time µs, JSON) of the last entries, newest first."""
    found: list[tuple[int, bytes]] = []
    if not present(store, AUDIT):
        return found
    cursor = store.cursor(AUDIT)
    more = cursor.last()
    while more and len(found) < limit:
        body = unseal(cursor.key(), cursor.value())
        if body is not None:
            found.append((int.from_bytes(body[:8], "little"), body[8:]))
        more = cursor.prev()
    return found
