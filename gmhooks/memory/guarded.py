"""The crash breaker for commands and servers: what a store has killed is counted, whoever it was, and a store under
suspicion is left alone by all: a server that its client starts again and again would die at it each time.

Their marks (as in `usage`) lie in the common page of the state file, by process id. Threads of one process take turns:
LMDB's locks and readers belong to the process; what one thread closes is gone for the other, which a signal then ends.
"""

from __future__ import annotations

import os
import stat
from _thread import RLock
from collections.abc import Iterator
from contextlib import contextmanager

from gmhooks.hooks.breaker import DAMAGED, OPEN, dead, judge
from gmhooks.hooks.fields import USERS_AT
from gmhooks.hooks.session import BREAKER_AT, FILE
from gmhooks.hooks.spawn import start
from gmhooks.hooks.usage import state_of
from gmhooks.store.errors import StoreSuspect
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.writer import keep, save, set_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.writer import Entry, Saved

USERS = 16
_RECORD = 12
_MARK = 8
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
ONE_AT_A_TIME = RLock()
# A process forked while another thread holds it would wait for ever.
os.register_at_fork(
    before=ONE_AT_A_TIME.acquire, after_in_parent=ONE_AT_A_TIME.release, after_in_child=ONE_AT_A_TIME.release
)


@contextmanager
def noted(data_dir: str, user_dir: str) -> Iterator[None]:
    """For a block that uses LMDB. StoreSuspect when processes died at the store as it is; a check is started if one is due.

    Without a store, or where the state file cannot be written, nothing is known and nothing is noted.
    """
    with ONE_AT_A_TIME:
        try:
            status = os.lstat(f"{data_dir}/{DATA_NAME}")
            fd = os.open(f"{data_dir}/{FILE}", _OPEN)
        except OSError:
            yield
            return
        process = os.getpid()
        at = USERS_AT + process % USERS * _MARK
        try:
            mine = state_of(status) + process.to_bytes(4, "little")
            usable = _is_own_file(fd) and _enter(fd, at, mine, data_dir, user_dir)
            try:
                yield
            finally:
                if usable and os.pread(fd, _MARK, at) == mine:
                    os.pwrite(fd, bytes(_MARK), at)
        finally:
            os.close(fd)


def suspicion(data_dir: str) -> tuple[int, int] | None:
    """(deaths, verdict: OPEN or DAMAGED) when the store as it is stands under suspicion; looks only."""
    try:
        with open(os.path.join(data_dir, FILE), "rb", opener=_unblocked) as file:
            file.seek(BREAKER_AT)
            record = file.read(_RECORD)
        present = state_of(os.lstat(os.path.join(data_dir, DATA_NAME)))
    except OSError:
        return None
    if len(record) < _RECORD or record[:4] != present or record[5] not in (OPEN, DAMAGED):
        return None
    return record[4], record[5]


@contextmanager
def looking(data_dir: str) -> Iterator[None]:
    """As `noted`, for a block that may not write: StoreSuspect when the store stands under suspicion."""
    with ONE_AT_A_TIME:
        found = suspicion(data_dir)
        if found is not None:
            raise StoreSuspect(f"{found[0]} processes died at the store; it is left alone")
        yield


def save_guarded(
    data_dir: str, entries: list[Entry], now_us: int, user_dir: str, *, patient: bool = True
) -> list[Saved]:
    """`writer.save`, which leaves a store under suspicion alone: the saves wait in the spool."""
    aside = set_aside(data_dir, entries, now_us)
    try:
        with noted(data_dir, user_dir):
            return save(data_dir, entries, now_us, patient=patient, user_dir=user_dir, aside=aside)
    except StoreSuspect as error:
        return keep(data_dir, aside, error.code)


def _unblocked(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_own_file(fd: int) -> bool:
    status = os.fstat(fd)
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _enter(fd: int, at: int, mine: bytes, data_dir: str, user_dir: str) -> bool:
    marks = os.pread(fd, USERS * _MARK, USERS_AT)
    died = []
    # Mostly nobody else is there.
    for place in range(0, len(marks.rstrip(b"\0")), _MARK):
        mark = marks[place : place + _MARK]
        if dead(mark):
            died.append(mark)
            os.pwrite(fd, bytes(_MARK), USERS_AT + place)
    try:
        judge(fd, mine[:4], died)
    except StoreSuspect as error:
        if error.check_due:
            start("recheck.py", data_dir, user_dir, dict(os.environb))
        raise
    os.pwrite(fd, mine, at)
    return True
