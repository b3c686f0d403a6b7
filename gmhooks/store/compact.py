"""Cold: give a store a fresh file without free pages, where the bytes of deleted records stay otherwise."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile

from gmhooks.store.birth import make_lock_file
from gmhooks.store.check import verify
from gmhooks.store.env import MAP_SIZE, MAX_DATABASES, Store, open_read, translate
from gmhooks.store.errors import StoreBusy, StoreDamaged, StoreFull
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX, check
from gmhooks.store.later import present
from gmhooks.store.layout import DATABASES, encode_path
from gmhooks.store.lmdbload import load
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.swap import sync

_LOCK_TRIES = (500, 0.01)
_PREFIX = "compact-"
# Of a meta page (format of LMDB 0.9): its page number lies at 0, the number of its last transaction at 144.
_TXN_AT = 144
_META_END = 152
_PAGE_SIZE_AT = 40


def compact(folder: str) -> int:
    """Replace the data file by a verified copy without free pages; bytes saved. Readers at work keep the old file until they
    close it. StoreError when that cannot be done; the old file is then in place and untouched."""
    path = f"{folder}/{DATA_NAME}"
    lock = try_lock(folder, *_LOCK_TRIES)
    if lock is None:
        raise StoreBusy(f"{folder}: another process is writing")
    aside = ""
    try:
        old = check(path)
        _clear(folder)
        aside = tempfile.mkdtemp(prefix=_PREFIX, dir=folder)
        copy_compact(folder, f"{aside}/{DATA_NAME}")
        problems = verify(aside)
        if problems:
            raise StoreDamaged(f"the copy is not sound: {problems[0]}")
        now = check(path)
        if (now.st_dev, now.st_ino, now.st_mtime_ns) != (old.st_dev, old.st_ino, old.st_mtime_ns):
            raise StoreBusy(f"{path}: it was replaced meanwhile; try again")
        saved = old.st_size - os.path.getsize(f"{aside}/{DATA_NAME}")
        os.rename(f"{aside}/{DATA_NAME}", path)
        sync(folder)
        return saved
    except (OSError, load().Error) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(f"{path}: {error.strerror}") from None
        raise translate(error, path) from None
    finally:
        if aside:
            shutil.rmtree(aside, ignore_errors=True)
        unlock(lock)


def _clear(folder: str) -> None:
    """Remove what killed processes left of their copies; inside the write lock nobody else is at it."""
    for name in os.listdir(folder):
        if name.startswith(_PREFIX):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def copy_compact(folder: str, target: str) -> None:
    """Write a durable copy without free pages to the path `target`, which must not exist; inside the write lock. It counts
    commits as the store does. Its lock file is left beside it: one that LMDB makes has no room of its own, and a process
    that writes to it dies on a full disk. StoreError when the store cannot be opened, OSError when there is no room."""
    store = open_read(folder)
    try:
        last = store.env.info()["last_txnid"]
        _copy_entries(store, target, 2 * os.path.getsize(f"{folder}/{DATA_NAME}"))
    finally:
        store.close()
    make_lock_file(target + LOCK_SUFFIX)
    os.chmod(target, 0o600)
    _go_on_counting(target, last)
    sync(target)


def _copy_entries(store: Store, target: str, room: int) -> None:
    """Write every entry into a new file, database by database. LMDB's own compacting copy is no way to do that: it kills the
    process when a term has some hundred postings (duplicates in a tree of their own)."""
    make_lock_file(target + LOCK_SUFFIX)
    env = load().Environment(
        encode_path(target), map_size=max(MAP_SIZE, room), subdir=False, mode=0o600, max_dbs=MAX_DATABASES, lib_version=0
    )
    try:
        with env.begin(write=True) as txn:
            for name, flags in DATABASES.items():
                if present(store, name):
                    into = txn.cursor(env.open_db(name, txn=txn, **flags))
                    into.putmulti(iter(store.cursor(name)), dupdata=True)
    finally:
        env.close()
        os.unlink(target + LOCK_SUFFIX)


def _go_on_counting(path: str, last: int) -> None:
    """Let both meta pages describe the copy, numbered as if it were the old file.

    The lock file, which processes at work share, tells newcomers which meta page is the newest; a copy that began to count
    anew would show them an empty one."""
    with open(path, "r+b", buffering=0) as file:
        first = os.pread(file.fileno(), _META_END, 0)
        page = int.from_bytes(first[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 4], "little")
        both = (first, os.pread(file.fileno(), _META_END, page))
        newest = max(both, key=lambda meta: int.from_bytes(meta[_TXN_AT:], "little"))
        for number in (0, 1):
            counted = last if last & 1 == number else last - 1
            meta = number.to_bytes(8, "little") + newest[8:_TXN_AT] + counted.to_bytes(8, "little")
            os.pwrite(file.fileno(), meta, number * page)
