"""Hot: one open LMDB environment with one transaction, and nothing of it kept longer than an operation.

Databases are opened inside the transaction at hand: `open_db` without one takes LMDB's write lock with the GIL held, so a
stopped writer elsewhere would hang even a reader beyond the reach of any watchdog.
"""

from __future__ import annotations

from gmhooks.store.fail import errors
from gmhooks.store.guard import DATA_NAME, check
from gmhooks.store.identity import identify
from gmhooks.store.layout import LATER, encode_path
from gmhooks.store.lmdbload import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from posix import stat_result
    from typing import Any

    from gmhooks.store.errors import StoreError
    from gmhooks.store.records import Identity

MAX_READERS = 510
MAX_DATABASES = 24
MAP_SIZE = 64 << 20

_READ_ONLY = "Read-only file system"
_KINDS = {
    "ReadonlyError": "StoreDenied",
    "DiskError": "StoreFull",
    "MapFullError": "StoreFull",
    "MemoryError": "StoreFull",
    "ReadersFullError": "StoreBusy",
    "LockError": "StoreBusy",
}


def translate(error: Exception, path: str) -> StoreError:
    """Our typed error for one of LMDB's."""
    kinds = errors()
    made: StoreError
    if isinstance(error, kinds.StoreError):
        made = error
    elif _READ_ONLY in str(error):
        made = kinds.StoreReadOnly(f"{path}: read-only file system, nothing can be saved here")
    elif isinstance(error, PermissionError):
        made = kinds.StoreDenied(f"{path}: {error.strerror}")
    else:
        made = getattr(kinds, _KINDS.get(type(error).__name__, "StoreDamaged"))(f"{path}: {error}")
    return made


class Store:
    """An open environment and its one transaction; every store function takes it. Close it on every path."""

    __slots__ = ("_handles", "env", "identity", "path", "txn", "writable")

    identity: Identity

    def __init__(self, path: str, env: Any, writable: bool) -> None:
        self.path = path
        self.env = env
        self.writable = writable
        self._handles: dict[bytes, Any] = {}
        self.txn: Any = None

    def db(self, name: bytes) -> Any:
        """Handle of a named sub-database."""
        handle = self._handles.get(name)
        if handle is None:
            create = self.writable and name in LATER
            handle = self._handles[name] = self.env.open_db(name, txn=self.txn, create=create)
        return handle

    def get(self, name: bytes, key: bytes) -> bytes | None:
        """Raw value under `key`, or None."""
        found: bytes | None = self.txn.get(key, None, self.db(name))
        return found

    def packed(self, name: bytes, keys: list[bytes]) -> list[list[int]]:
        """The 8-byte values under each 8-byte key of a sub-database of integer duplicates, ascending."""
        cursor = self.cursor(name)
        # Each element is the key followed by the value.
        each = [cursor.getmulti((key,), True, 8, True) for key in keys]
        return [memoryview(found).cast("Q")[1::2].tolist() if found else [] for found in each]

    def count(self, name: bytes, key: bytes) -> int:
        """How many values are under `key` of a sub-database of duplicates."""
        cursor = self.cursor(name)
        found: int = cursor.count() if cursor.set_key(key) else 0
        return found

    def values(self, name: bytes, key: bytes) -> list[bytes]:
        """The values under `key` of a sub-database of duplicates, ascending."""
        cursor = self.cursor(name)
        return list(cursor.iternext_dup()) if cursor.set_key(key) else []

    def put(self, name: bytes, key: bytes, value: bytes) -> None:
        """Store a raw value (write transactions only)."""
        self.txn.put(key, value, db=self.db(name))

    def cursor(self, name: bytes) -> Any:
        """Cursor over a sub-database."""
        return self.txn.cursor(self.db(name))

    def begin(self) -> None:
        """Start the transaction, adopting a map that another process has grown."""
        try:
            self.txn = self.env.begin(write=self.writable)
        except Exception as error:
            if type(error).__name__ != "MapResizedError":
                raise
            self.env.set_mapsize(0)
            self.txn = self.env.begin(write=self.writable)

    def close(self) -> None:
        """End the transaction without committing and close the environment."""
        if self.txn is not None:
            self.txn.abort()
            self.txn = None
        self.env.close()


def open_read(folder: str, enter: Callable[[stat_result], None] | None = None) -> Store:
    """A store with a read transaction. Raises StoreError (missing, damaged, newer, denied, busy). `enter` is told the status
    of the file before LMDB sees it, and may raise."""
    from gmhooks.store.freelist import check_roots

    path = f"{folder}/{DATA_NAME}"
    status = check(path)
    if enter is not None:
        enter(status)
    check_roots(path)
    return open_checked(path, False, MAP_SIZE)


def open_write(folder: str, factor: int = 1) -> Store:
    """A store with a write transaction; only inside the write lock (see writer). The map is `factor` times what is usual."""
    from gmhooks.store.freelist import check_free_list

    path = f"{folder}/{DATA_NAME}"
    size = check(path).st_size
    check_free_list(path)
    map_size = MAP_SIZE
    while map_size < size * 2:
        map_size *= 2
    return open_checked(path, True, map_size * factor)


def open_checked(path: str, writable: bool, map_size: int) -> Store:
    """A store whose file was looked at."""
    lmdb = load()
    try:
        env = lmdb.Environment(
            encode_path(path), map_size=map_size, subdir=False, readonly=not writable, mode=0o600, create=False,
            max_readers=MAX_READERS, max_dbs=MAX_DATABASES, lib_version=0,
        )  # fmt: skip
    except (lmdb.Error, OSError, MemoryError) as error:
        raise translate(error, path) from None
    store = Store(path, env, writable)
    try:
        env.reader_check()
        store.begin()
        store.identity = identify(store)
    except (lmdb.Error, OSError, MemoryError, errors().StoreError) as error:
        store.close()
        raise translate(error, path) from None
    return store
