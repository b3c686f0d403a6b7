"""Hot: who wrote a store, and whether this version may use it."""

from __future__ import annotations

from gmhooks.store.fail import errors
from gmhooks.store.layout import META, SCHEMA, unseal
from gmhooks.store.records import unpack_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Pages
    from gmhooks.store.records import Identity

IDENTITY_KEY = b"identity"


def identify(store: Store | Pages) -> Identity:
    """The identity of an open store. Raises StoreDamaged, or StoreNewer when it asks for a newer reader or writer."""
    body = unseal(IDENTITY_KEY, store.get(META, IDENTITY_KEY))
    if body is None:
        raise errors().StoreDamaged(f"{store.path}: its identity record is missing or damaged")
    identity = unpack_identity(body)
    needed = identity.min_writer if store.writable else identity.min_reader
    if needed > SCHEMA:
        raise errors().StoreNewer(f"{store.path}: written by {identity.created_by}; upgrade gmhooks to use it")
    return identity
