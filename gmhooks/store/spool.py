"""Hot: saves that could not reach the store yet. One durable file each, visible to recall, drained by the next writer.

A record is sealed for the very file it was written to, by its inode. What a checkout, an archive or a copy put
there is somebody else's text and is left alone: nobody far away can know the inode that a file will get.
"""

from __future__ import annotations

from posix import (
    O_CLOEXEC,
    O_CREAT,
    O_EXCL,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    O_WRONLY,
    close,
    fdatasync,
    fstat,
    fsync,
    listdir,
    mkdir,
    read,
    rename,
    stat_result,
    unlink,
    write,
)
from posix import open as posix_open

from gmhooks.store.ids import encode
from gmhooks.store.layout import decode_text, encode_text, seal, unseal

FOLDER = "spool"
_SUFFIX = ".fact"
UNFINISHED = f"{_SUFFIX}.tmp"
_LIMIT = 1 << 20
_KIND_MASK = 0o170000
_REGULAR = 0o100000
# In the byte of the source: the text has a length before it and an audit entry after it.
_AUDITED = 0x80


class Spooled:
    """One save on its way: what `facts.add` will be given, and the audit entry (JSON) that goes with it, if any."""

    __slots__ = ("agent_id", "audit", "confidence", "created_us", "id", "source", "text")

    def __init__(
        self, fact_id: bytes, created_us: int, agent_id: str, text: str, source: int, confidence: int, audit: bytes = b""
    ) -> None:
        self.id = fact_id
        self.created_us = created_us
        self.agent_id = agent_id
        self.text = text
        self.source = source
        self.confidence = confidence
        self.audit = audit

    @property
    def name(self) -> str:
        """Its file's name."""
        return encode(self.id) + _SUFFIX


def put(folder: str, spooled: Spooled, durable: bool = True) -> None:
    """Write one record: temporary name, rename; when `durable`, synced before it has its name, and the folder after it.
    OSError when that fails. Without syncs it outlives this process, not the machine: see `settle`."""
    spool = f"{folder}/{FOLDER}"
    target = f"{spool}/{spooled.name}"
    temporary = f"{target}.tmp"
    try:
        fd = posix_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    except FileNotFoundError:
        mkdir(spool, 0o700)
        fd = posix_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try:
        data = memoryview(seal(_seal_key(spooled.name, fstat(fd)), _pack(spooled)))
        while data:
            data = data[write(fd, data) :]
        if durable:
            fdatasync(fd)
    finally:
        close(fd)
    rename(temporary, target)
    if durable:
        _sync(spool)


def settle(folder: str, spooled: Spooled) -> None:
    """Make durable what `put` only wrote, unless a writer has filed it in the store since. OSError when that fails."""
    try:
        _sync(f"{folder}/{FOLDER}/{spooled.name}")
    except FileNotFoundError:
        return
    _sync(f"{folder}/{FOLDER}")


def _sync(path: str) -> None:
    fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    try:
        fsync(fd)
    finally:
        close(fd)


def pending(folder: str) -> list[Spooled]:
    """Every spooled save of ours, oldest first; damaged and foreign files, or a spool that is no folder, are left alone."""
    try:
        names = listdir(f"{folder}/{FOLDER}")
    except OSError:
        return []
    found = [_load(folder, name) for name in sorted(names) if name.endswith(_SUFFIX)]
    return [spooled for spooled in found if spooled is not None]


def drop(folder: str, spooled: Spooled) -> None:
    """Remove a save that the store holds now."""
    try:
        unlink(f"{folder}/{FOLDER}/{spooled.name}")
    except FileNotFoundError:
        pass


def _load(folder: str, name: str) -> Spooled | None:
    try:
        fd = posix_open(f"{folder}/{FOLDER}/{name}", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    except OSError:
        return None
    try:
        status = fstat(fd)
        if status.st_mode & _KIND_MASK != _REGULAR:
            return None
        body = unseal(_seal_key(name, status), read(fd, _LIMIT))
    except OSError:
        return None
    finally:
        close(fd)
    return _unpack(body) if body is not None else None


def _seal_key(name: str, status: stat_result) -> bytes:
    """What a record is sealed under: its name and the file that holds it."""
    return encode_text(name) + status.st_ino.to_bytes(8, "little")


def _pack(spooled: Spooled) -> bytes:
    agent, text, audit = encode_text(spooled.agent_id), spooled.text.encode(), spooled.audit
    mark = _AUDITED if audit else 0
    numbers = spooled.created_us.to_bytes(8, "little") + bytes((spooled.source | mark, spooled.confidence))
    head = spooled.id + numbers + len(agent).to_bytes(4, "little") + agent
    return head + (len(text).to_bytes(4, "little") + text + audit if audit else text)


def _unpack(body: bytes) -> Spooled:
    start = 30 + int.from_bytes(body[26:30], "little")
    end = len(body)
    agent_id = decode_text(body[30:start])
    if body[24] & _AUDITED:
        end = start + 4 + int.from_bytes(body[start : start + 4], "little")
        start += 4
    created_us = int.from_bytes(body[16:24], "little")
    text = body[start:end].decode()
    return Spooled(body[:16], created_us, agent_id, text, body[24] & ~_AUDITED, body[25], body[end:])
