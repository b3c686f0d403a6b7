"""Hot: a hook's way to its store through LMDB, with the use of LMDB noted for the crash breaker."""

from __future__ import annotations

from gmhooks.hooks.trusted import known_store
from gmhooks.hooks.usage import enter
from gmhooks.store.env import open_read
from gmhooks.store.fail import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from posix import stat_result

    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store


def open_trusted(
    ctx: Context, session: Session, note_use: Callable[[Session, stat_result], None] = enter
) -> Store:
    """The project's store for reading. Raises StoreError; StoreUntrusted unless its path and id are registered. The session
    notes the use of LMDB until it is saved or closed."""
    data_dir = ctx.route.data_dir
    known = known_store(ctx)
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
