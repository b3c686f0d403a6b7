"""Hot: what each session has been shown. A fixed-size table in `<data dir>/state`, read and written in place.

The file is a page of common fields, 64 slots of 2 KiB and 64 areas for the last printed blocks. A session may
sit in any of four neighbouring slots, so that one read finds it and one write keeps it. Numbers are in the
machine's own order. Whatever the file holds, the worst that follows is a fact shown twice: a slot whose
checksum fails counts as unseen.
"""

from __future__ import annotations

from _imp import source_hash
from posix import O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR, close, fchmod, fstat, pread, pwrite
from posix import open as posix_open

FILE = "state"
NOTICE_AT = 8  # day number of the last "memory is off" notice, 4 bytes
FINISH_AT = 16  # time of the last detached work, microseconds, 8 bytes
BREAKER_AT = 64  # room for the crash breaker, 64 bytes
NAMED_AT = 128  # 16 x (agent hash 8, id of the last checkpoint named 16)
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
# 10 length of the last block
_SHOWN_AT, _TERMS_AT, _RECENT_AT = 12, 12 + SHOWN, 12 + SHOWN + TERMS
_SUM_AT = SLOT - 8


def digest(text: str) -> bytes:
    """8 bytes for a text of any kind; zero bytes for an empty one."""
    return source_hash(_KEY, text.encode("utf-8", "surrogatepass")) if text else _EMPTY


class Session:
    """One session's slot. Without a session id nothing counts as shown and nothing is kept."""

    __slots__ = ("_data", "_numbers", "fd", "index", "key", "problem")

    def __init__(self, data_dir: str, session_id: str) -> None:
        self.key = digest(session_id)
        self.index = -1
        self.problem = ""
        self.fd = -1
        self._data = bytearray(SLOT)
        try:
            self.fd = posix_open(data_dir + "/" + FILE, _OPEN, 0o600)
            status = fstat(self.fd)
            if status.st_mode & 0o170000 != 0o100000 or status.st_nlink != 1:
                self.problem = "state is not a regular file of its own"
            elif status.st_mode & 0o777 != 0o600:
                fchmod(self.fd, 0o600)
            if session_id and not self.problem:
                self._find()
        except (OSError, ValueError) as error:
            self.problem = str(error)
        self._data[:8] = self.key
        self._numbers = memoryview(self._data).cast("I")

    def _find(self) -> None:
        """Take the session's own slot, else an empty one, else the one unused for longest."""
        first = self.key[0] % SETS * WAYS
        raw = pread(self.fd, SLOT * WAYS, SLOTS_AT + first * SLOT)
        oldest = 1 << 64
        for way in range(WAYS):
            slot = raw[way * SLOT : way * SLOT + SLOT]
            if slot[:8] == self.key and _sound(slot):
                self.index = first + way
                self._data[:] = slot
                return
            used = int.from_bytes(slot[8:16], "little") if _sound(slot) else 0
            if used < oldest:
                oldest = used
                self.index = first + way

    @property
    def used_us(self) -> int:
        """When a start or prompt hook of this session last ran; 0: never."""
        return int.from_bytes(self._data[8:16], "little")

    @property
    def prompted(self) -> bool:
        """Whether a prompt of this session was looked at."""
        return self._numbers[6] & PROMPTED != 0

    @property
    def shown(self) -> list[int]:
        """Keys of the facts shown since start, clear or compaction, oldest first."""
        return self._numbers[_SHOWN_AT : _SHOWN_AT + self._numbers[7]].tolist()

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
            or (prompt_id and self._data[16:24] == digest(prompt_id))
        ):
            return []
        return numbers[_RECENT_AT : _RECENT_AT + numbers[9]].tolist()

    def note_prompt(self, terms: list[int], prompt_id: str, keys: list[int]) -> None:
        """Keep this prompt's terms and the facts shown at it; one shown again is not repeatable any more."""
        known = self.shown
        numbers = self._numbers
        self._data[16:24] = digest(prompt_id)
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
        self._data[16:24] = digest(prompt_id)
        self._numbers[6] |= RESUMED

    def inherit(self, prompt_id: str, before_us: int) -> None:
        """Take over the shown facts of the session this one was forked from.

        That is the one which ended by a resume at the same prompt, else the one whose last hook ran nearest
        before `before_us` (0: unknown, then none).
        """
        if self.fd < 0 or self.problem:
            return
        wanted = digest(prompt_id)
        best = 0
        raw = pread(self.fd, SLOT * WAYS * SETS, SLOTS_AT)
        for at in range(0, len(raw), SLOT):
            slot = raw[at : at + SLOT]
            if slot[:8] == self.key or not _sound(slot):
                continue
            numbers = memoryview(slot).cast("I")
            used = int.from_bytes(slot[8:16], "little")
            rank = 1 << 65 if numbers[6] & RESUMED and prompt_id and slot[16:24] == wanted else used
            if best < rank and (rank > 1 << 64 or used <= before_us):
                best = rank
                found = numbers[_SHOWN_AT : _SHOWN_AT + numbers[7]].tolist()
                self._numbers[7] = _put(self._numbers, _SHOWN_AT, found)

    def save(self, now_us: int, block: bytes = b"") -> None:
        """Write the slot in place, and the block about to be printed; `now_us` 0 keeps the time of last use."""
        if self.index < 0 or self.problem:
            return
        if now_us:
            self._data[8:16] = max(now_us, 1).to_bytes(8, "little")
        if block:
            self._numbers[10] = min(len(block), BLOCK)
        self._data[_SUM_AT:] = source_hash(_KEY, memoryview(self._data)[:_SUM_AT])
        try:
            pwrite(self.fd, self._data, SLOTS_AT + self.index * SLOT)
            if block:
                pwrite(self.fd, block[:BLOCK], BLOCKS_AT + self.index * BLOCK)
        except OSError as error:
            self.problem = str(error)

    def common(self, at: int, size: int) -> bytes:
        """Bytes of the fields that all sessions share; b"" when there are none."""
        if self.fd < 0 or self.problem:
            return b""
        data = pread(self.fd, size, at)
        return data if len(data) == size else b""

    def put_common(self, at: int, data: bytes) -> bool:
        """Write shared fields in place; whether that worked."""
        if self.fd < 0 or self.problem:
            return False
        try:
            return pwrite(self.fd, data, at) == len(data)
        except OSError as error:
            self.problem = str(error)
            return False

    def close(self) -> None:
        """Give the descriptor back; safe to call twice."""
        if self.fd >= 0:
            close(self.fd)
            self.fd = -1


def _sound(slot: bytes) -> bool:
    """Whether a slot was written whole by this program, its counts within bounds."""
    if len(slot) != SLOT or slot[:8] == _EMPTY or source_hash(_KEY, slot[:_SUM_AT]) != slot[_SUM_AT:]:
        return False
    numbers = memoryview(slot).cast("I")
    return numbers[7] <= SHOWN and numbers[8] <= TERMS and numbers[9] <= RECENT


def _put(numbers: memoryview, at: int, values: list[int]) -> int:
    """Write 32-bit values into consecutive fields; their number."""
    for i, value in enumerate(values, at):
        numbers[i] = value
    return len(values)
