"""Hot: what each session has been shown. A fixed-size table in `<data dir>/state`, read and written in place.

The file is a page of common fields (see `fields`), 64 slots of 2 KiB and 64 areas for the last printed blocks. A session may
sit in any of four neighbouring slots, so that one read finds it and one write keeps it. Numbers are in the
machine's own order. Whatever the file holds, the worst that follows is a fact shown twice: a slot whose
checksum fails counts as unseen.
"""

from __future__ import annotations

from _imp import source_hash
from posix import (  # fmt: skip
    F_TLOCK,
    F_ULOCK,
    O_CLOEXEC,
    O_CREAT,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDWR,
    close,
    fchmod,
    fstat,
    lockf,
    pread,
    pwrite,
)
from posix import open as posix_open
from time import sleep

FILE = "state"
SLOTS_AT = 4096
SLOT = 2048
WAYS = 4
SETS = 16
BLOCKS_AT = SLOTS_AT + SLOT * WAYS * SETS
BLOCK = 10240
SHOWN = 408
TERMS = 64
RECENT = 16
PROMPTED = 1
RESUMED = 2
_KEY = 0x676D686F6F6B73
_EMPTY = bytes(8)
_OPEN = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
# u32 fields of a slot: 0-1 session, 2-3 used, 4-5 prompt id, 6 flags, 7 to 9 counts of shown, terms, recent,
# 10 length of the last block. Behind them, not part of the checksum: the last run's digest and time (8 bytes each), and
# who is using LMDB for this session (see `usage`): process id and a hash of the data file's state (4 bytes each).
_SHOWN_AT, _TERMS_AT, _RECENT_AT = 12, 12 + SHOWN, 12 + SHOWN + TERMS
_SUMMED = 2000
CLAIM_AT = 2000
USE_AT = 2016
_SUM_AT = SLOT - 8
BREAKER_AT = 64  # of the file: what the breaker knows, 12 bytes


def digest(text: str) -> bytes:
    """8 bytes for a text of any kind; zero bytes for an empty one."""
    return source_hash(_KEY, text.encode("utf-8", "surrogatepass")) if text else _EMPTY


class Session:
    """One session's slot. Without a session id nothing counts as shown and nothing is kept.

    `alone` keeps other processes that ask the same from finding a slot before `release`, as far as the file system can.
    """

    __slots__ = ("_locked", "_numbers", "data", "fd", "index", "key", "problem", "used")

    def __init__(self, data_dir: str, session_id: str, alone: bool = False) -> None:
        self.key = digest(session_id)
        self.index = -1
        self.problem = ""
        self._locked = False
        self.used = _EMPTY
        self.fd = -1
        self.data = bytearray(SLOT)
        try:
            self.fd = posix_open(data_dir + "/" + FILE, _OPEN, 0o600)
            status = fstat(self.fd)
            if status.st_mode & 0o170000 != 0o100000 or status.st_nlink != 1:
                self.problem = "state is not a regular file of its own"
            elif status.st_mode & 0o777 != 0o600:
                fchmod(self.fd, 0o600)
            if session_id and not self.problem:
                if alone:
                    self._lock()
                self._find()
        except (OSError, ValueError) as error:
            self.problem = str(error)
        self.data[:8] = self.key
        self._numbers = memoryview(self.data).cast("I")

    def _lock(self) -> None:
        for _ in range(20):
            try:
                lockf(self.fd, F_TLOCK, 0)
            except BlockingIOError:
                sleep(0.001)
            except OSError:
                return
            else:
                self._locked = True
                return

    def release(self) -> None:
        """Let others in again."""
        if self._locked:
            lockf(self.fd, F_ULOCK, 0)
            self._locked = False

    def _find(self) -> None:
        """Take the session's own slot, else an empty one, else the one unused for longest."""
        first = self.key[0] % SETS * WAYS
        raw = pread(self.fd, SLOT * WAYS, SLOTS_AT + first * SLOT).ljust(SLOT * WAYS, b"\0")
        oldest = 1 << 64
        for way in range(WAYS):
            slot = raw[way * SLOT : way * SLOT + SLOT]
            if slot[:8] == self.key and sound(slot):
                self.index = first + way
                self.data[:] = slot
                break
            used = int.from_bytes(slot[8:16], "little") if sound(slot) else 0
            if used < oldest:
                oldest = used
                self.index = first + way
        at = (self.index - first) * SLOT + CLAIM_AT
        self.data[CLAIM_AT:_SUM_AT] = raw[at : at + _SUM_AT - CLAIM_AT]

    @property
    def prompted(self) -> bool:
        """Whether a prompt of this session was looked at."""
        return self._numbers[6] & PROMPTED != 0

    @property
    def shown(self) -> list[int]:
        """Keys of the facts shown since start, clear or compaction, oldest first."""
        return shown_in(self.data)

    def forget(self) -> None:
        """Everything may be shown again (the conversation was compacted or cleared)."""
        self._numbers[7] = self._numbers[8] = self._numbers[9] = 0

    def repeatable(self, terms: list[int], prompt_id: str) -> list[int]:
        """Keys that the prompt before showed, if this one is that prompt edited and sent again."""
        numbers = self._numbers
        before = set(numbers[_TERMS_AT : _TERMS_AT + numbers[8]].tolist())
        same = len([term for term in terms if term in before])
        if (
            not terms
            or same * 5 < max(len(terms), numbers[8]) * 4
            or (prompt_id and self.data[16:24] == digest(prompt_id))
        ):
            return []
        return numbers[_RECENT_AT : _RECENT_AT + numbers[9]].tolist()

    def note_prompt(self, terms: list[int], prompt_id: str, keys: list[int]) -> None:
        """Keep this prompt's terms and the facts shown at it; one shown again is not repeatable any more."""
        known = self.shown
        numbers = self._numbers
        self.data[16:24] = digest(prompt_id)
        numbers[6] = PROMPTED
        numbers[8] = _put(numbers, _TERMS_AT, terms[:TERMS])
        numbers[9] = _put(numbers, _RECENT_AT, [key for key in keys if key not in known][:RECENT])
        self.note_shown(keys)

    def note_shown(self, keys: list[int]) -> None:
        """Add facts to the shown ones; beyond the table's size the oldest are forgotten."""
        known = self.shown
        new = [key for key in keys if key not in known]
        if new:
            self._numbers[7] = _put(self._numbers, _SHOWN_AT, (known + new)[-SHOWN:])

    def note_resume(self, prompt_id: str) -> None:
        """The user went on elsewhere: a fork of this session is known by its last prompt."""
        self.data[16:24] = digest(prompt_id)
        self._numbers[6] |= RESUMED

    def save(self, now_us: int, block: bytes = b"") -> None:
        """Write the slot in place, and the block about to be printed; `now_us` 0 keeps the time of last use."""
        if self.index < 0 or self.problem:
            return
        if now_us:
            self.data[8:16] = max(now_us, 1).to_bytes(8, "little")
        if block:
            self._numbers[10] = min(len(block), BLOCK)
        if self.used != _EMPTY:  # ours; a mark that another process died with stays until someone judges it
            self.data[USE_AT:_SUM_AT] = bytes(_SUM_AT - USE_AT)
            self.used = _EMPTY
        self.data[_SUM_AT:] = source_hash(_KEY, memoryview(self.data)[:_SUMMED])
        try:
            pwrite(self.fd, self.data, SLOTS_AT + self.index * SLOT)
            if block:
                pwrite(self.fd, block[:BLOCK], BLOCKS_AT + self.index * BLOCK)
        except OSError as error:
            self.problem = str(error)

    def receipt(self, size: int, keys: list[int]) -> str:
        """What hooks.log keeps of an injection: bytes, the session's digest, keys of the facts; never a text."""
        return f"{size} bytes, session {self.key.hex()}, facts {' '.join(map(str, keys))}"

    def mark(self, use: bytes) -> None:
        """Enter who uses LMDB for this session, 8 bytes as in `usage`; zeros for nobody."""
        self.used = use
        try:
            pwrite(self.fd, use, SLOTS_AT + self.index * SLOT + USE_AT)
        except OSError as error:
            self.problem = str(error)

    def close(self) -> None:
        """Give the descriptor back; safe to call twice."""
        if self.used != _EMPTY:
            self.mark(_EMPTY)
        if self.fd >= 0:
            close(self.fd)
            self.fd = -1


def sound(slot: bytes) -> bool:
    """Whether a slot was written whole by this program, its counts within bounds."""
    if len(slot) != SLOT or slot[:8] == _EMPTY or source_hash(_KEY, slot[:_SUMMED]) != slot[_SUM_AT:]:
        return False
    numbers = memoryview(slot).cast("I")
    return numbers[7] <= SHOWN and numbers[8] <= TERMS and numbers[9] <= RECENT


def shown_in(slot: bytes | bytearray) -> list[int]:
    """Keys of the facts shown, oldest first, as a slot holds them."""
    numbers = memoryview(slot).cast("I")
    return numbers[_SHOWN_AT : _SHOWN_AT + numbers[7]].tolist()


def _put(numbers: memoryview, at: int, values: list[int]) -> int:
    """Write 32-bit values into consecutive fields; their number."""
    for i, value in enumerate(values, at):
        numbers[i] = value
    return len(values)
