"""The mark that a purge leaves while it is at work: one at a time, and the next knows what a killed one left undone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from time import sleep

from gmhooks.store.errors import StoreBusy
from gmhooks.store.swap import sync

MARKER = "purging"
_TRIES = 1000
_PAUSE_S = 0.01


class Mark:
    """`unfinished`: an earlier purge never came to its end. `done` has the mark dropped when the block ends."""

    def __init__(self, unfinished: bool) -> None:
        self.unfinished = unfinished
        self.done = False


@contextmanager
def alone(data_dir: str) -> Iterator[Mark]:
    """No other purge for the time of a block. StoreBusy when another one takes longer than 10 s; OSError when the mark
    cannot be made durable."""
    path = os.path.join(data_dir, MARKER)
    fd = _locked(path)
    try:
        mark = Mark(os.fstat(fd).st_size > 0)
        os.write(fd, b"1\n")
        os.fsync(fd)
        sync(data_dir)
        try:
            yield mark
        finally:
            if mark.done:
                os.unlink(path)
    finally:
        os.close(fd)


def _locked(path: str) -> int:
    for _ in range(_TRIES):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        try:
            flock(fd, LOCK_EX | LOCK_NB)
            if _is_at(fd, path):
                return fd
        except BlockingIOError:
            sleep(_PAUSE_S)
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
    raise StoreBusy(f"{path}: another purge is at work")


def _is_at(fd: int, path: str) -> bool:
    """Whether the file was not dropped by the one who held it before."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False
