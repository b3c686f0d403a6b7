"""Hot, for writers only: our own write lock, taken before LMDB's because LMDB's cannot be tried or timed out.

It is a `flock` on the data directory itself: the kernel drops it when the holder dies, and no extra file is needed.
"""

from __future__ import annotations

from fcntl import LOCK_EX, LOCK_NB, flock
from posix import O_CLOEXEC, O_DIRECTORY, O_RDONLY, close
from posix import open as posix_open
from time import sleep


def try_lock(folder: str, tries: int, pause_s: float) -> int | None:
    """Descriptor that holds the lock, or None when it stayed busy. OSError when the folder cannot be opened."""
    fd = posix_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for attempt in range(tries):
        if attempt:
            sleep(pause_s)
        try:
            flock(fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            continue
        except OSError:
            close(fd)
            raise
        return fd
    close(fd)
    return None


def unlock(fd: int) -> None:
    """Release a lock taken by `try_lock`."""
    close(fd)
