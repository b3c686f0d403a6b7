"""Hot: which facts are pinned, verified or aliases, newest first, without reading records."""

from __future__ import annotations

from gmhooks.store.layout import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gmhooks.store.env import Store

PINNED = b"p"
VERIFIED = b"v"
ALIAS = b"a"


def mark(store: Store, number: int, kind: bytes, doc: int, *, on: bool) -> None:
    """Set or clear one mark (write)."""
    key = number.to_bytes(4, "big") + kind + doc.to_bytes(4, "big")
    if on:
        store.put(MARKS, key, b"")
    else:
        store.txn.delete(key, db=store.db(MARKS))


def marked(store: Store, number: int, kind: bytes) -> Iterator[int]:
    """Fact numbers that carry a mark, highest (newest) first."""
    prefix = number.to_bytes(4, "big") + kind
    cursor = store.cursor(MARKS)
    more = cursor.prev() if cursor.set_range(prefix + b"\xff\xff\xff\xff") else cursor.last()
    while more and cursor.key().startswith(prefix):
        yield int.from_bytes(cursor.key()[5:], "big")
        more = cursor.prev()
