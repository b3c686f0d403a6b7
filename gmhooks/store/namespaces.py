"""Hot: agent ids and their numbers. A namespace record counts its facts and knows its newest."""

from __future__ import annotations

from gmhooks.store.fail import errors
from gmhooks.store.layout import NAMESPACES, encode_text, scoped_key, seal, unseal
from gmhooks.store.records import Namespace, pack_namespace, unpack_namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader

SHARED = "__shared__"


def _key(store: Reader, agent_id: str) -> bytes:
    data = encode_text(agent_id)
    secret = store.identity.secret
    return scoped_key(secret, 0, data) + scoped_key(secret ^ 1, 0, data)


def find(store: Reader, agent_id: str) -> Namespace | None:
    """The namespace of an agent id, or None when nothing was ever stored under it."""
    key = _key(store, agent_id)
    raw = store.get(NAMESPACES, key)
    if raw is None:
        return None
    return _read(store, key, raw)


def ensure(store: Store, agent_id: str) -> Namespace:
    """The namespace of an agent id, made with the next free number if it is new (write)."""
    found = find(store, agent_id)
    if found is None:
        found = Namespace(1 + store.txn.stat(store.db(NAMESPACES))["entries"], agent_id)
        save(store, found)
    return found


def save(store: Store, ns: Namespace) -> None:
    """Write a changed namespace record (write)."""
    key = _key(store, ns.agent_id)
    store.put(NAMESPACES, key, seal(key, pack_namespace(ns)))


def listed(store: Store) -> list[Namespace]:
    """Every namespace, by number."""
    found = [_read(store, key, raw) for key, raw in store.cursor(NAMESPACES)]
    return sorted(found, key=lambda ns: ns.number)


def _read(store: Reader, key: bytes, raw: bytes) -> Namespace:
    body = unseal(key, raw)
    if body is None:
        raise errors().StoreDamaged(f"{store.path}: a namespace record is damaged")
    return unpack_namespace(body)
