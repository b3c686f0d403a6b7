"""Hot: counters of the whole store."""

from __future__ import annotations

from gmhooks.store.layout import META, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader


def counter(store: Reader, name: str) -> int:
    """Value of a named counter; 0 when it was never bumped."""
    key = b"counter:" + name.encode()
    body = unseal(key, store.get(META, key))
    return int.from_bytes(body, "little", signed=True) if body is not None else 0


def bump(store: Store, name: str, by: int = 1) -> None:
    """Add to a named counter (write)."""
    key = b"counter:" + name.encode()
    value = counter(store, name) + by
    store.put(META, key, seal(key, value.to_bytes(8, "little", signed=True)))
