"""Hot: the fields of the state file that all sessions share."""

from __future__ import annotations

from posix import pread, pwrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.session import Session

NOTICE_AT = 8  # day number of the last "memory is off" notice, 4 bytes
FINISH_AT = 16  # time of the last detached work, microseconds, 8 bytes
USERS_AT = 512  # 16 x 8: commands and servers that use LMDB, as in `memory.guarded`
NAMED_AT = 128  # 16 x (agent hash 8, id of the last checkpoint named 16)


def load(session: Session, at: int, count: int) -> bytes:
    """`count` bytes at an offset; b"" when the file does not reach there or is not usable."""
    if session.problem:
        return b""
    data = pread(session.fd, count, at)
    return data if len(data) == count else b""


def keep(session: Session, at: int, data: bytes) -> bool:
    """Write bytes at an offset, in place; whether that worked."""
    if session.problem:
        return False
    try:
        return pwrite(session.fd, data, at) == len(data)
    except OSError as error:
        session.problem = str(error)
        return False
