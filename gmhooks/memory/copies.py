"""A private copy of a store: looked at, tried out and thrown away without touching the original."""

from __future__ import annotations

import os
import shutil

from gmhooks.store.errors import StoreBusy, StoreDenied
from gmhooks.store.guard import DATA_NAME, check
from gmhooks.store.lock import try_lock, unlock

_LOCK_TRIES = (300, 0.01)


def copy_store(data_dir: str, target_dir: str) -> None:
    """Copy the data file into the existing private folder `target_dir`, with our writers held off.

    StoreError when the file is missing, is no sound regular file, or stays locked."""
    source = f"{data_dir}/{DATA_NAME}"
    check(source)
    lock = try_lock(data_dir, *_LOCK_TRIES)
    if lock is None:
        raise StoreBusy(f"{data_dir}: another process is writing")
    try:
        check(source)
        _copy(source, f"{target_dir}/{DATA_NAME}")
    except OSError as error:
        raise StoreDenied(f"{source}: {error.strerror}") from None
    finally:
        unlock(lock)


def _copy(source: str, target: str) -> None:
    fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with (
        open(fd, "rb") as old,
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new,
    ):
        shutil.copyfileobj(old, new, 1 << 20)
