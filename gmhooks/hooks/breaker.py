"""Hot, after a death only: the crash breaker. Damage that no check before LMDB finds can kill a hook, but not every hook.

A hook that uses LMDB leaves its process id and the data file's state (inode and time of the last commit) in its session's
slot and takes them back afterwards. A mark of a process that is gone counts as a death at this state of the file. After two
of them hooks leave the store alone and one detached check looks at it; a clean verdict, a commit or a new file ends that.
"""

from __future__ import annotations

from posix import kill, pread, pwrite
from time import time

from gmhooks.hooks.session import BREAKER_AT, SLOT, SLOTS_AT, USE_AT
from gmhooks.store.fail import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.session import Session

OPEN, DAMAGED = 1, 2
_DEATHS = 2
_AGAIN_S = 60  # a check that has not ended by then has died itself
# The record: state of the file (4), deaths, verdict, 2 spare bytes, when the last check was started (4).
_SIZE = 12


def judge(fd: int, state: bytes, marks: list[bytes]) -> None:
    """Count the marks that dead processes left at this state of the file. Raises StoreSuspect when the store must be left
    alone; its `check_due` says that a check has to be started."""
    before = pread(fd, _SIZE, BREAKER_AT).ljust(_SIZE, b"\0")
    # What is known of another file, or of this one before a commit, counts no more.
    record = bytearray(before if before[:4] == state else state + bytes(_SIZE - 4))
    record[4] = min(record[4] + len([mark for mark in marks if mark[:4] == state and dead(mark)]), 255)
    due = False
    if record[4] >= _DEATHS and record[5] != DAMAGED:
        now = int(time())
        due = record[5] != OPEN or abs(now - int.from_bytes(record[8:], "little")) > _AGAIN_S
        if due:
            record[5] = OPEN
            record[8:] = now.to_bytes(4, "little")
    if record[4:] == bytes(_SIZE - 4):
        record[:] = bytes(_SIZE)
    if record != before:
        pwrite(fd, record, BREAKER_AT)
    if record[5]:
        suspect = errors().StoreSuspect(
            "the store was found damaged; run `graymatter doctor --repair`"
            if record[5] == DAMAGED
            else "hooks died at the store; it is left alone until a check has ended"
        )
        suspect.check_due = due
        raise suspect


def collect(session: Session, slots: bytes) -> list[bytes]:
    """Take the marks that dead processes left in other slots: a session whose every hook died is counted by the next one."""
    marks = []
    for at in range(USE_AT, len(slots), SLOT):
        mark = slots[at : at + 8]
        if at != USE_AT + session.index * SLOT and dead(mark):
            marks.append(mark)
            pwrite(session.fd, bytes(8), SLOTS_AT + at)
    return marks


def settle(fd: int, state: bytes, damaged: bool) -> None:
    """Enter the verdict of a check on this state of the file: a clean one closes the breaker."""
    if pread(fd, 4, BREAKER_AT) == state:
        pwrite(fd, state + bytes((_DEATHS, DAMAGED, 0, 0, 0, 0, 0, 0)) if damaged else bytes(_SIZE), BREAKER_AT)


def dead(mark: bytes) -> bool:
    """Whether the process that left this mark is gone; False for no mark."""
    process = int.from_bytes(mark[4:8], "little")
    if not 0 < process < 1 << 31:
        return False
    try:
        kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # alive, and somebody else's
    return False
