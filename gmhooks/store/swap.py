"""Cold: put another data file in a store's place. The old one stays beside it under a name that says why."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gmhooks.store.birth import make_lock_file
from gmhooks.store.errors import StoreBusy
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX
from gmhooks.store.lock import try_lock, unlock

_STALE_S = 3600


def stamp(now_s: float) -> str:
    """A time as it stands in file names, UTC."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now_s))


@contextmanager
def held(folder: str, tries: int) -> Iterator[None]:
    """Writers held off. StoreBusy when another one is at work and stays so for `tries` times 10 ms."""
    lock = try_lock(folder, tries, 0.01)
    if lock is None:
        raise StoreBusy(f"{folder}: another process is writing")
    try:
        yield
    finally:
        unlock(lock)


@contextmanager
def workshop(folder: str, purpose: str) -> Iterator[str]:
    """A private folder inside the data directory for the time of a block; what a killed one left is cleared first."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(f"{purpose}-") and time.time() - os.lstat(path).st_mtime > _STALE_S:
            shutil.rmtree(path, ignore_errors=True)
    try:
        made = tempfile.mkdtemp(prefix=f"{purpose}-", dir=folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, folder) from None  # not the name that was made up
    os.chmod(made, 0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def swap(folder: str, new: str, why: str, now_s: float) -> str:
    """Put the data file `new` (same file system, sound) in place of the store's, inside the write lock; the path under which
    the old one is kept, "" when there was none. Processes that still read the old file go on reading it."""
    path = f"{folder}/{DATA_NAME}"
    kept = ""
    if os.path.lexists(path):
        kept = _free_name(f"{path}.{why}-{stamp(now_s)}")
        if os.path.isfile(path) and not os.path.islink(path):
            os.link(path, kept, follow_symlinks=False)
        else:
            os.rename(path, kept)
    # A lock file tells newcomers which commit is the newest: the new store's cannot be the old one's.
    if os.path.lexists(path + LOCK_SUFFIX):
        os.unlink(path + LOCK_SUFFIX)
    make_lock_file(path + LOCK_SUFFIX)
    os.rename(new, path)
    sync(folder)
    return kept


def sync(path: str) -> None:
    """Make a file, or the names in a folder, durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _free_name(wanted: str) -> str:
    name, number = wanted, 1
    while os.path.lexists(name):
        number += 1
        name = f"{wanted}.{number}"
    return name
