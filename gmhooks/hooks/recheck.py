"""Cold: look at a store that hooks died at, in a detached process; the breaker and hooks.log are told what was found.

Run as a script: `recheck.py DATA_DIR USER_DIR IMPORT_PATH`. A check that dies leaves the breaker open; a later hook starts
another.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[3].split("\n")

from posix import O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDWR, close, lstat
from posix import open as posix_open
from time import monotonic_ns

from gmhooks.hooks.breaker import settle
from gmhooks.hooks.session import FILE
from gmhooks.hooks.trail import note
from gmhooks.hooks.usage import state_of
from gmhooks.store.check import verify
from gmhooks.store.errors import StoreDamaged, StoreError
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.lock import try_lock, unlock

_LONGEST_S = 600
_LOCK_TRIES = (300, 0.01)


def recheck(data_dir: str) -> str:
    """Verify the store with writers held off; "clean", "damaged", "busy" or the code of what kept it from looking."""
    lock = try_lock(data_dir, *_LOCK_TRIES)
    if lock is None:
        return "busy"
    state = posix_open(f"{data_dir}/{FILE}", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try:
        looked_at = state_of(lstat(f"{data_dir}/{DATA_NAME}"))
        damaged = bool(verify(data_dir))
        settle(state, looked_at, damaged)
    except StoreDamaged:
        settle(state, looked_at, True)
        return "damaged"
    except StoreError as error:
        return error.code
    finally:
        close(state)
        unlock(lock)
    return "damaged" if damaged else "clean"


if __name__ == "__main__":
    import signal

    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LONGEST_S)
    begun = monotonic_ns()
    found = recheck(sys.argv[1])
    note(sys.argv[1], "recheck", found, (monotonic_ns() - begun) // 1_000_000)
