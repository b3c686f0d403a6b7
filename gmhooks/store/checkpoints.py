"""Hot: where sessions stopped. The newest 50 checkpoints of each namespace, as JSON the hooks made."""

from __future__ import annotations

from gmhooks.store.ids import new_id
from gmhooks.store.layout import CHECKPOINTS, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.records import Namespace

KEPT = 50


def save(store: Store, ns: Namespace, body: bytes, now_us: int) -> bytes:
    """Store a checkpoint and drop the oldest beyond 50; returns its id (write)."""
    ids = _ids(store, ns)
    made = new_id(now_us // 1000, ids[-1] if ids else b"")
    _write(store, ns, made, now_us, False, body)
    for old in ids[: max(0, len(ids) + 1 - KEPT)]:
        store.txn.delete(_key(ns, old), db=store.db(CHECKPOINTS))
    return made


def newest(store: Store, ns: Namespace, limit: int) -> list[tuple[bytes, int, bool, bytes]]:
    """(id, created µs, already named to a later session, JSON bytes), newest first. Damaged records are left out."""
    found: list[tuple[bytes, int, bool, bytes]] = []
    for made in reversed(_ids(store, ns)):
        key = _key(ns, made)
        body = unseal(key, store.get(CHECKPOINTS, key))
        if body is not None and len(found) < limit:
            found.append((made, int.from_bytes(body[:8], "little"), body[8] == 1, body[9:]))
    return found


def move(store: Store, old: Namespace, new: Namespace) -> int:
    """Give the checkpoints of one namespace to another, which keeps its newest 50; how many were moved (write)."""
    ids = _ids(store, old)
    for made, created_us, named, body in newest(store, old, KEPT):
        _write(store, new, made, created_us, named, body)
    for made in ids:
        store.txn.delete(_key(old, made), db=store.db(CHECKPOINTS))
    for surplus in _ids(store, new)[:-KEPT]:
        store.txn.delete(_key(new, surplus), db=store.db(CHECKPOINTS))
    return len(ids)


def _key(ns: Namespace, checkpoint_id: bytes) -> bytes:
    return ns.number.to_bytes(4, "big") + checkpoint_id


def _write(store: Store, ns: Namespace, made: bytes, created_us: int, named: bool, body: bytes) -> None:
    key = _key(ns, made)
    store.put(CHECKPOINTS, key, seal(key, created_us.to_bytes(8, "little") + bytes((named,)) + body))


def _ids(store: Store, ns: Namespace) -> list[bytes]:
    """Ids of a namespace's checkpoints, oldest first."""
    prefix = ns.number.to_bytes(4, "big")
    cursor = store.cursor(CHECKPOINTS)
    found = []
    more = cursor.set_range(prefix)
    while more and cursor.key().startswith(prefix):
        found.append(cursor.key()[4:])
        more = cursor.next()
    return found
