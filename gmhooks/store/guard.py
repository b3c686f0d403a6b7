"""Hot: look at the store's files before LMDB maps them; a truncated or planted file would kill the process."""

from __future__ import annotations

from posix import O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, close, fstat, geteuid, lstat, pread, stat_result
from posix import open as posix_open
from time import sleep

from gmhooks.store.fail import errors

DATA_NAME = "gray.mdb"
LOCK_SUFFIX = "-lock"
META_SIZE = 152
_MAGIC = b"\xde\xc0\xef\xbe\x01\0\0\0"
_KIND_MASK = 0o170000
_REGULAR = 0o100000


def check(path: str) -> stat_result:
    """Stat of the data file at `path` if LMDB may open it; raises StoreMissing, StoreDenied or StoreDamaged."""
    status = check_names(path)
    check_whole(path)
    return status


def check_names(path: str) -> stat_result:
    """As `check`, without a look at what the file holds."""
    try:
        status = lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise errors().StoreMissing(f"{path}: no store yet") from None
    except OSError as error:
        raise errors().StoreDenied(f"{path}: {error.strerror}") from None
    check_file(path, status)
    try:
        check_file(path + LOCK_SUFFIX, lstat(path + LOCK_SUFFIX))
    except FileNotFoundError:
        pass
    return status


def check_file(path: str, status: stat_result) -> None:
    """Raises StoreDamaged or StoreDenied unless this is a regular file with one name that belongs to the user."""
    if status.st_mode & _KIND_MASK != _REGULAR or status.st_nlink != 1:
        raise errors().StoreDamaged(f"{path}: not a regular file with one name; the store must be one")
    if status.st_uid != geteuid():
        raise errors().StoreDenied(f"{path}: owned by user id {status.st_uid}; give it back with chown")


def check_whole(path: str) -> None:
    """Raises StoreDamaged or StoreDenied unless the file holds every page that its newest meta page counts."""
    # Header first, then fstat: a writer may be growing it.
    try:
        fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    except OSError as error:
        raise errors().StoreDenied(f"{path}: {error.strerror}") from None
    try:
        for last_try in (False, True):
            needed = _needed_bytes(fd)
            if 0 < needed <= fstat(fd).st_size:
                return
            if not last_try:
                sleep(0.001)
        from gmhooks.store.freelist import ends_in_free_pages

        if ends_in_free_pages(fd, fstat(fd).st_size):
            return
    finally:
        close(fd)
    raise errors().StoreDamaged(f"{path}: truncated or not a store; `graymatter doctor --repair` saves what is left")


def _needed_bytes(fd: int) -> int:
    """Size that the newest meta page promises; 0 when there is none."""
    page, _, newest = newest_meta(fd)
    return (int.from_bytes(newest[136:144], "little") + 1) * page


def newest_meta(fd: int) -> tuple[int, int, bytes]:
    """(page size, offset, bytes) of the newer of LMDB's two meta pages (format of LMDB 0.9); (0, 0, b"") without any."""
    first = pread(fd, 4096 + META_SIZE, 0)
    page = int.from_bytes(first[40:44], "little")
    if first[16:24] != _MAGIC or not 256 <= page <= 65536:
        return 0, 0, b""
    second = first[4096:] if page == 4096 else pread(fd, META_SIZE, page)
    if second[16:24] != _MAGIC:
        return 0, 0, b""
    if int.from_bytes(second[144:152], "little") > int.from_bytes(first[144:152], "little"):
        return page, page, second
    return page, 0, first[:META_SIZE]
