"""Hot: the way from a hook to its store: only one that the user trusts, and the keys by which facts count as shown."""

from __future__ import annotations

from posix import stat

from gmhooks.store.fail import errors
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.pages import Pages
from gmhooks.store.trust import registered_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact

    T = TypeVar("T")

_SPOOLED = 1 << 31


def look(ctx: Context, session: Session, read: Callable[[Reader], T]) -> T:
    """What `read` finds in the project's trusted store; it may be called twice. Raises StoreError.

    The file's pages are read without LMDB; only when writers commit faster than that, LMDB has to hold a snapshot.
    """
    known = known_store(ctx)
    pages = None
    try:
        pages = Pages(f"{ctx.route.data_dir}/{DATA_NAME}")
        if pages.identity.store_id != known:
            raise errors().StoreUntrusted(f"{ctx.route.data_dir}: another store than the trusted one")
        found = read(pages)
        if pages.settled():
            return found
    except errors().StoreMoved:
        pass
    finally:
        if pages is not None:
            pages.close()
    from gmhooks.hooks.opened import open_trusted

    store = open_trusted(ctx, session)
    try:
        return read(store)
    finally:
        store.close()


def known_store(ctx: Context) -> str:
    """The id of the store that is trusted here. Raises StoreMissing, or StoreUntrusted when there is one that is not."""
    data_dir = ctx.route.data_dir
    known = ctx.known or registered_at(ctx.user_dir, data_dir)  # this run may have made the store
    if known is None:
        try:
            stat(data_dir + "/" + DATA_NAME)
        except OSError:
            raise errors().StoreMissing(f"{data_dir}: holds no store yet") from None
        raise errors().StoreUntrusted(f"{data_dir}: not trusted yet")
    return known


def key(fact: Fact, shared: bool) -> int:
    """32 bits that stand for a fact in the session table; spooled facts have negative numbers."""
    return by_id(fact.id) if fact.doc < 0 else by_number(fact.doc, shared)


def by_number(doc: int, shared: bool) -> int:
    """The key of a stored fact."""
    return doc << 1 | shared


def by_id(fact_id: bytes) -> int:
    """The key under which a fact was shown or saved while it was in the spool."""
    return _SPOOLED | int.from_bytes(fact_id[-4:], "big")  # the last bits count: ids of one moment are consecutive


def number_of(shown: int) -> tuple[int, bool] | None:
    """(fact number, shared) of a key; None for a fact that was spooled then."""
    return None if shown & _SPOOLED else (shown >> 1, shown & 1 == 1)
