"""Hot: which facts were recalled when. Hooks append a line to a journal; the next fold merges it into the store."""

from __future__ import annotations

from posix import (  # fmt: skip
    O_APPEND,
    O_CLOEXEC,
    O_CREAT,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    O_WRONLY,
    close,
    lseek,
    lstat,
    read,
    rename,
    unlink,
    write,
)
from posix import open as posix_open

from gmhooks.store.layout import TOUCHES, fact_key, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store

JOURNAL = "access.log"
_FOLDING = "access.folding"
_FOLD_LIMIT = 8 << 20
_LONGEST = 2 << 20
_KIND_MASK = 0o170000
_REGULAR = 0o100000
_APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC


def append(folder: str, touched: list[tuple[int, int]], now_us: int) -> None:
    """Note that these (namespace number, fact number) were shown: one write, no sync. Only counts can be lost: when the
    journal cannot be written, or has grown to 2 MiB because nothing folds it, the line is dropped."""
    line = f"{now_us} {' '.join([f'{number}:{doc}' for number, doc in touched])}\n"
    try:
        fd = posix_open(f"{folder}/{JOURNAL}", _APPEND, 0o600)
    except OSError:
        return
    try:
        if lseek(fd, 0, 2) < _LONGEST:
            write(fd, line.encode())
    except OSError:
        return
    finally:
        close(fd)


def of(store: Store, number: int, doc: int) -> tuple[int, int]:
    """(number of recalls, time of the last one in µs) as folded so far; (0, 0) when there was none."""
    key = fact_key(number, doc)
    body = unseal(key, store.get(TOUCHES, key))
    if body is None:
        return 0, 0
    return int.from_bytes(body[:8], "little"), int.from_bytes(body[8:16], "little")


def total(store: Store) -> dict[int, int]:
    """Recalls of each namespace's facts by its number, as folded so far."""
    found: dict[int, int] = {}
    for key, raw in store.cursor(TOUCHES):
        number = int.from_bytes(key[:4], "big")
        found[number] = found.get(number, 0) + int.from_bytes((unseal(key, raw) or b"")[:8], "little")
    return found


def keep(store: Store, number: int, doc: int, count: int, last_us: int) -> None:
    """Set both; what else the record holds (see `weights`) stays (write)."""
    key = fact_key(number, doc)
    rest = (unseal(key, store.get(TOUCHES, key)) or b"")[16:]
    store.put(TOUCHES, key, seal(key, count.to_bytes(8, "little") + last_us.to_bytes(8, "little") + rest))


def fold(store: Store, folder: str) -> int:
    """Merge the journal into the store (write); returns how many touches. Call `folded` after the commit.

    A crash between commit and `folded` merges the same lines once more: counts are then too high, never lost."""
    return merge(store, _merged(_take(folder)))


def merge(store: Store, merged: dict[tuple[int, int], list[int]]) -> int:
    """Add such counts to the store's (write); returns how many touches."""
    for (number, doc), (count, last_us) in merged.items():
        old_count, old_last = of(store, number, doc)
        keep(store, number, doc, old_count + count, max(old_last, last_us))
    return sum(count for count, _ in merged.values())


def unfolded(folder: str) -> dict[tuple[int, int], list[int]]:
    """[recalls, time of the last one] by (namespace number, fact number) that wait in the journal; nothing is changed."""
    return _merged(_content(f"{folder}/{_FOLDING}") + b"\n" + _content(f"{folder}/{JOURNAL}"))


def _merged(data: bytes) -> dict[tuple[int, int], list[int]]:
    merged: dict[tuple[int, int], list[int]] = {}
    for line in data.splitlines():
        fields = line.split()
        if not fields or not fields[0].isdigit():
            continue
        for field in fields[1:]:
            left, _, right = field.partition(b":")
            if left.isdigit() and right.isdigit() and int(left) < 1 << 32 and int(right) < 1 << 32:
                entry = merged.setdefault((int(left), int(right)), [0, 0])
                entry[0] += 1
                entry[1] = max(entry[1], min(int(fields[0]), (1 << 63) - 1))
    return merged


def folded(folder: str) -> None:
    """Drop the journal that `fold` merged."""
    try:
        if _is_file(f"{folder}/{_FOLDING}"):
            unlink(f"{folder}/{_FOLDING}")
    except FileNotFoundError:
        pass  # somebody else who merged it was quicker


def _take(folder: str) -> bytes:
    """Set the journal aside (unless an earlier fold left one) and read it, up to 8 MiB."""
    journal, aside = f"{folder}/{JOURNAL}", f"{folder}/{_FOLDING}"
    if not _content(aside):
        if not _is_file(journal):
            return b""
        rename(journal, aside)
    return _content(aside)


def _is_file(path: str) -> bool:
    try:
        return lstat(path).st_mode & _KIND_MASK == _REGULAR
    except FileNotFoundError:
        return False


def _content(path: str) -> bytes:
    """Up to 8 MiB of a file; nothing of a link, a directory or what may not be read, for only counts can be lost."""
    try:
        fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    except OSError:
        return b""
    try:
        return read(fd, _FOLD_LIMIT)
    except OSError:
        return b""
    finally:
        close(fd)
