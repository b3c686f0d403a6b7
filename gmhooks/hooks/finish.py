"""Cold: what is done after a session, in a detached process: drain the spool, fold the access journal,
let weights decay, choose the terms that have bitmaps, make the day's backup, clear up after saves that were cut short.

Run as a script: `finish.py DATA_DIR USER_DIR IMPORT_PATH`. One at a time per store; whoever comes second leaves.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[3].split("\n")

import os
import time
from fcntl import LOCK_EX, LOCK_NB, flock

from gmhooks.hooks.clock import now_us
from gmhooks.hooks.trail import note
from gmhooks.store.backup import daily
from gmhooks.store.bitmaps import fold as fold_bitmaps
from gmhooks.store.decay import settle_daily
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreError
from gmhooks.store.spellings import fold as fold_spellings
from gmhooks.store.spool import FOLDER as SPOOL
from gmhooks.store.spool import UNFINISHED
from gmhooks.store.touches import fold, folded
from gmhooks.store.trust import registered
from gmhooks.store.writer import run

_LONGEST_S = 120
_UNFINISHED_S = 3600


def finish(data_dir: str, user_dir: str) -> str:
    """Do the work for one store; "done", "running" (somebody else is at it) or the receipt code of a failure."""
    try:
        lock = os.open(f"{data_dir}/{SPOOL}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return "store_missing"
    try:
        flock(lock, LOCK_EX | LOCK_NB)
        return _work(data_dir, user_dir)
    except BlockingIOError:
        return "running"
    except StoreError as error:
        return error.code
    finally:
        os.close(lock)


def _work(data_dir: str, user_dir: str) -> str:
    store = open_read(data_dir)
    try:
        store_id = store.identity.store_id
    finally:
        store.close()
    if registered(user_dir, data_dir) != store_id:
        return "untrusted"

    now = now_us(dict(os.environb))

    def work(store: Store) -> int:
        fold(store, data_dir)
        lighter = settle_daily(store, now)
        if lighter:
            fold_bitmaps(store)
        fold_spellings(store)
        return lighter

    run(data_dir, work, patient=True)
    folded(data_dir)
    _clear_spool(f"{data_dir}/{SPOOL}")
    try:
        daily(data_dir, now / 1e6)
    except OSError:
        return "backup_failed"
    return "done"


def _clear_spool(spool: str) -> None:
    """Remove what killed processes and full disks left of saves that nobody was told were kept."""
    for name in os.listdir(spool):
        path = f"{spool}/{name}"
        try:
            if name.endswith(UNFINISHED) and os.lstat(path).st_mtime < time.time() - _UNFINISHED_S:
                os.unlink(path)
        except FileNotFoundError:
            continue  # it has its name now


if __name__ == "__main__":
    import signal

    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LONGEST_S)
    begun = time.monotonic()
    outcome = finish(sys.argv[1], sys.argv[2])
    if outcome not in ("done", "running"):
        note(sys.argv[1], "session-end", outcome, int((time.monotonic() - begun) * 1000), "work after the session")
