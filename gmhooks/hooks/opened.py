"""Hot: a hook's way to its store through LMDB, with the use of LMDB noted for the crash breaker."""

from __future__ import annotations

from gmhooks.hooks.trusted import known_store, look
from gmhooks.hooks.usage import enter
from gmhooks.store.env import open_read
from gmhooks.store.fail import errors
from gmhooks.store.guard import DATA_NAME, check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from posix import stat_result

    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store
    from gmhooks.store.records import Identity


def may_write(ctx: Context, session: Session) -> Identity:
    """The identity of the project's store, on which LMDB may be used now; raises as `open_trusted` does."""
    found = look(ctx, session, lambda store: store.identity)
    _enter(ctx, session, check(f"{ctx.route.data_dir}/{DATA_NAME}"), enter)
    return found


def open_trusted(
    ctx: Context, session: Session, note_use: Callable[[Session, stat_result], None] = enter
) -> Store:
    """The project's store for reading. Raises StoreError; StoreUntrusted unless its path and id are registered. The session
    notes the use of LMDB until it is saved or closed."""
    data_dir = ctx.route.data_dir
    known = known_store(ctx)
    store = open_read(data_dir, lambda status: _enter(ctx, session, status, note_use))
    if store.identity.store_id != known:
        store.close()
        raise errors().StoreUntrusted(f"{data_dir}: another store than the trusted one")
    return store


def _enter(
    ctx: Context, session: Session, status: stat_result, note_use: Callable[[Session, stat_result], None]
) -> None:  # fmt: skip
    """Note the use; a store that is suspect is looked at in a process of its own."""
    try:
        note_use(session, status)
    except errors().StoreSuspect as error:
        if error.check_due:
            from gmhooks.hooks.spawn import start

            start("recheck.py", ctx.route.data_dir, ctx.user_dir, ctx.environ)
        raise
