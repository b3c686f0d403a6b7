"""Cold: opening a store again and again, as a server does: what was found sound is looked at again once it has changed.

A file is taken for the same as long as its inode, its size and both its times are. Times advance in ticks, and a change
within the tick of another one does not show: only what was sound `_SETTLED_NS` after the last change is remembered. A change
that no time tells (a disk that forgets, a program that writes past the file system) is left to the crash breaker, like
damage below the roots.
"""

from __future__ import annotations

from time import time_ns

from gmhooks.store.env import MAP_SIZE, Store, open_checked
from gmhooks.store.freelist import check_roots
from gmhooks.store.guard import DATA_NAME, check_names, check_whole

# The coarsest times of a file system, those of FAT.
_SETTLED_NS = 2_000_000_000

_sound: dict[str, tuple[int, ...]] = {}


def open_again(folder: str) -> Store:
    """As `env.open_read`."""
    path = f"{folder}/{DATA_NAME}"
    status = check_names(path)
    times = status.st_mtime_ns, status.st_ctime_ns
    state = (status.st_dev, status.st_ino, status.st_size, *times)
    if _sound.get(path) != state:
        looked_ns = time_ns()
        check_whole(path)
        check_roots(path)
        if looked_ns - max(times) > _SETTLED_NS:
            _sound[path] = state
    return open_checked(path, False, MAP_SIZE)
