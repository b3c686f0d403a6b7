"""Hot: one line in hooks.log for what a hook did or could not do; never the text of a prompt or a fact."""

from __future__ import annotations

import posix
from time import gmtime, strftime

from gmhooks.hooks.clock import now_us
from gmhooks.hooks.wire import encode

LIMIT = 1 << 20
_DETAIL = 1200
_FLAGS = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC


def note(data_dir: str, event: str, code: str, ms: int, detail: str = "") -> None:
    """Append one JSON line in a single write; at 1 MiB the log moves to `hooks.log.1` first.

    A line that cannot be written is dropped: there is nowhere else to tell it.
    """
    seconds = now_us(posix.environ) // 1_000_000
    parts = [strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds)), event[:40], code, ms, detail[:_DETAIL]]
    line = b'{"ts":%b,"event":%b,"code":%b,"ms":%b,"detail":%b}\n' % tuple([encode(part) for part in parts])
    try:
        _append(data_dir + "/hooks.log", line)
    except OSError:
        return


def _append(path: str, line: bytes) -> None:
    fd = posix.open(path, _FLAGS, 0o600)
    try:
        seen = posix.fstat(fd)
        if seen.st_mode & 0o170777 != 0o100600:
            if seen.st_mode & 0o170000 != 0o100000:
                return
            posix.fchmod(fd, 0o600)
        if seen.st_size + len(line) > LIMIT and _moved_aside(path, fd, seen.st_ino):
            _append(path, line)
            return
        posix.write(fd, line)
    finally:
        posix.close(fd)


def _moved_aside(path: str, fd: int, inode: int) -> bool:
    """Rename the full log, which `fd` has open. Only who holds its lock may: a name is renamed, not a file, and the second
    of two would put the fresh log in the full one's place."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(fd, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    if posix.stat(path).st_ino != inode:
        return False
    posix.rename(path, path + ".1")
    return True


def place(error: BaseException) -> str:
    """Type of an exception and the file and line that raised it, without its message."""
    kind = type(error).__name__
    trace = error.__traceback__
    if trace is None:
        return kind
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{kind} {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
