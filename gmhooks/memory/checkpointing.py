"""Checkpoints that agents save on purpose, and the newest one of an agent, whoever saved it."""

from __future__ import annotations

from gmhooks.store.checkpoints import KEPT, newest, save
from gmhooks.store.env import Store
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.layout import CHECKPOINTS, unseal
from gmhooks.store.namespaces import ensure, find


def save_checkpoint(store: Store, agent_id: str, body: bytes, now_us: int) -> bytes:
    """The id of a new checkpoint with this JSON body; the newest 50 of an agent are kept (write)."""
    return save(store, ensure(store, agent_id), body, now_us)


def newest_checkpoint(store: Store, agent_id: str) -> tuple[bytes, int, bytes] | None:
    """(id, created µs, JSON) of the newest one, None when there is none. StoreDamaged when it cannot be read: an older
    state in its place would mislead."""
    ns = find(store, agent_id)
    if ns is None:
        return None
    prefix = ns.number.to_bytes(4, "big")
    cursor = store.cursor(CHECKPOINTS)
    there = cursor.prev() if cursor.set_range(prefix + b"\xff" * 16) else cursor.last()
    if not there or not cursor.key().startswith(prefix):
        return None
    key = cursor.key()
    body = unseal(key, cursor.value())
    if body is None:
        raise StoreDamaged(f"{store.path}: the newest checkpoint is damaged")
    return key[4:], int.from_bytes(body[:8], "little"), body[9:]


def earlier_checkpoints(store: Store, agent_id: str) -> list[tuple[bytes, int, bytes]]:
    """Every readable one, newest first, as `newest_checkpoint` gives it."""
    ns = find(store, agent_id)
    return [(made, us, body) for made, us, _, body in newest(store, ns, KEPT)] if ns is not None else []
