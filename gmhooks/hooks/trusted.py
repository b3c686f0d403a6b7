"""Hot: the way from a hook to its store: only one that the user trusts, and the keys by which facts count as shown."""

from __future__ import annotations

from posix import stat

from gmhooks.hooks.usage import enter
from gmhooks.store.env import open_read
from gmhooks.store.fail import errors
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.trust import registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from posix import stat_result

    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact

_SPOOLED = 1 << 31


def open_trusted(
    ctx: Context, session: Session, note_use: Callable[[Session, stat_result], None] = enter
) -> Store:
    """The project's store for reading. Raises StoreError; StoreUntrusted unless its path and id are registered. The session
    notes the use of LMDB until it is saved or closed."""
    data_dir = ctx.route.data_dir
    known = registered(ctx.user_dir, data_dir)
    if known is None:
        try:
            stat(data_dir + "/" + DATA_NAME)
        except OSError:
            raise errors().StoreMissing(f"{data_dir}: holds no store yet") from None
        raise errors().StoreUntrusted(f"{data_dir}: not trusted yet")
    try:
        store = open_read(data_dir, lambda status: note_use(session, status))
    except errors().StoreSuspect as error:
        if error.check_due:
            from gmhooks.hooks.spawn import start

            start("recheck.py", data_dir, ctx.user_dir, ctx.environ)
        raise
    if store.identity.store_id != known:
        store.close()
        raise errors().StoreUntrusted(f"{data_dir}: another store than the trusted one")
    return store


def key(fact: Fact, shared: bool) -> int:
    """32 bits that stand for a fact in the session table; spooled facts have negative numbers."""
    if fact.doc < 0:
        return _SPOOLED | int.from_bytes(fact.id[-4:], "big") >> 1
    return fact.doc << 1 | shared


def number_of(shown: int) -> tuple[int, bool] | None:
    """(fact number, shared) of a key; None for a fact that was spooled then."""
    return None if shown & _SPOOLED else (shown >> 1, shown & 1 == 1)
