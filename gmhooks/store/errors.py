"""Hot: what can be wrong with a store. Each error carries the receipt code that hooks.log shows."""

from __future__ import annotations


class StoreError(Exception):
    """A store cannot be used as asked; `code` is its receipt code, the message says what and what next."""

    code = "store_error"


class StoreMissing(StoreError):
    """The project is not prepared, or holds no store yet."""

    code = "store_missing"


class StoreDamaged(StoreError):
    """The files are not a sound store: wrong kind of file, links, garbage, truncation, bad records."""

    code = "store_damaged"


class StoreSuspect(StoreDamaged):
    """Processes died while they used this store: it is left alone until it was checked or repaired."""

    code = "store_suspect"
    check_due = False


class StoreMoved(StoreError):
    """Writers committed twice while a snapshot was being read: read again."""

    code = "store_moved"


class StoreNewer(StoreError):
    """A newer version wrote this store and does not allow what was asked."""

    code = "schema_newer"


class StoreBusy(StoreError):
    """Another process holds the write lock."""

    code = "busy"


class StoreFull(StoreError):
    """No space, or no memory, for the write."""

    code = "disk_full"


class StoreDenied(StoreError):
    """The files belong to somebody else or may not be read or written."""

    code = "permission"


class StoreReadOnly(StoreDenied):
    """The store lies on a read-only file system: it can be read, nothing can be saved."""

    code = "read_only"


class StoreUntrusted(StoreError):
    """This store is not in the user's registry of trusted stores."""

    code = "untrusted"
