"""Opening a store for one operation, only when the user trusts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from gmhooks.hooks.route import prepared
from gmhooks.memory.guarded import looking, noted
from gmhooks.memory.places import obstacle
from gmhooks.store.again import open_again
from gmhooks.store.create import store_id
from gmhooks.store.env import Store, translate
from gmhooks.store.errors import StoreError, StoreMissing, StoreSuspect, StoreUntrusted
from gmhooks.store.lmdbload import load
from gmhooks.store.trust import registered, registered_at
from gmhooks.store.writer import run

T = TypeVar("T")


def reading(data_dir: str, user_dir: str, *, untouched: bool = False) -> AbstractContextManager[Store | None]:
    """A trusted store with a read transaction; None for a prepared project that holds none yet. StoreError otherwise.
    `untouched`: the use is not noted for the crash breaker, no file of ours is written."""
    require_prepared(data_dir)
    return reading_prepared(data_dir, user_dir, untouched=untouched)


@contextmanager
def reading_prepared(
    data_dir: str, user_dir: str, *, untouched: bool = False, real: bool = False
) -> Iterator[Store | None]:
    """`reading` of a project that was just found prepared. `real`: no symbolic link is in its path."""
    with looking(data_dir) if untouched else noted(data_dir, user_dir):
        try:
            store = open_again(data_dir)
        except StoreMissing:
            yield None
            return
        try:
            known = (registered_at if real else registered)(user_dir, data_dir)
            _require_trust(data_dir, known, store.identity.store_id)
            yield store
        except load().Error as error:
            raise translate(error, store.path) from None
        finally:
            store.close()


def changing(data_dir: str, user_dir: str, work: Callable[[Store], T], *, patient: bool = True) -> T:
    """Do `work` in one durable write transaction of a trusted store. Raises StoreError and whatever `work` raises;
    StoreBusy when another process writes for 2 s (not `patient`: 2 ms)."""
    require_prepared(data_dir)

    def checked(store: Store) -> T:
        _require_trust(data_dir, registered(user_dir, data_dir), store.identity.store_id)
        return work(store)

    with noted(data_dir, user_dir):
        _require_usable(data_dir, user_dir)
        return run(data_dir, checked, patient=patient, user_dir=user_dir)


def require_usable(data_dir: str, user_dir: str) -> None:
    """StoreError unless a save may go here: the project is prepared, and its store, if it has one, is trusted.

    A store that cannot be read at this moment passes if its place is trusted: a save to it is spooled."""
    require_prepared(data_dir)
    try:
        with noted(data_dir, user_dir):
            _require_usable(data_dir, user_dir)
    except StoreSuspect:
        _require_trust(data_dir, registered(user_dir, data_dir))


def _require_usable(data_dir: str, user_dir: str) -> None:
    known = registered(user_dir, data_dir)
    try:
        actual: str | None = store_id(data_dir)
    except StoreMissing:
        return
    except StoreError:
        actual = None
    _require_trust(data_dir, known, actual)


def require_prepared(data_dir: str) -> None:
    """StoreError unless this is the data directory of a prepared project."""
    if not prepared(data_dir):
        require_room(data_dir)
        raise StoreMissing(f"{data_dir}: this project is not prepared")


def require_room(data_dir: str) -> None:
    """StoreError if what has the data directory's name is something else, or may not be read."""
    found = obstacle(data_dir)
    if found is not None:
        error, what = found
        raise error(f"{data_dir}: {what}")


def _require_trust(data_dir: str, known: str | None, actual: str | None = None) -> None:
    """StoreUntrusted unless this id is the trusted one; without an id the place alone counts."""
    if known is None or actual not in (None, known):
        raise StoreUntrusted(f"{data_dir}: this store was not made here and is not trusted yet")
