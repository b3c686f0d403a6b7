"""Hot, for writers only: look at the list of free pages before LMDB writes by it.

LMDB trusts the list, and the meta page that names it. When damage has put something else in their place, a commit
overwrites pages that are in use, and what a repair could have saved is gone. Everything else that is damaged costs a commit
only what was lost already.
"""

from __future__ import annotations

from posix import O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, close, pread
from posix import open as posix_open

from gmhooks.store.errors import StoreDamaged
from gmhooks.store.guard import newest_meta
from gmhooks.store.leaf import roots

_FREE_ROOT, _MAIN_ROOT, _LAST_PAGE, _COMMIT = 80, 128, 136, 144
_NONE = (1 << 64) - 1
_HEAD = 16
_BRANCH, _LEAF, _BIG = 1, 2, 1
_MOST_PAGES = 256


def check_free_list(path: str) -> None:
    """Raises StoreDamaged unless the newest commit follows the one before it, and its list of free pages and the roots of
    its trees are what they have to be."""
    fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try:
        size, place, meta = newest_meta(fd)
        commit, former = _number(meta, _COMMIT, 8), pread(fd, 8, size - place + _COMMIT)
        # Commits take turns in the two meta pages, so a wrong number would bring an older state back.
        sound = commit - _number(former, 0, 8) == 1 and place == (commit & 1) * size
        free = _free_pages(fd, size, meta) if sound else None
        sound = free is not None and _rooted(fd, size, meta, set(free))
    except (IndexError, OverflowError, TypeError):
        sound = False  # numbers beyond every file, a page that makes no sense
    finally:
        close(fd)
    if not sound:
        raise StoreDamaged(f"{path}: its list of free pages is damaged; `graymatter doctor --repair` saves what is left")


def _rooted(fd: int, size: int, meta: bytes, free: set[int]) -> bool:
    """Whether no root of a tree is a free page or one behind the last. IndexError or TypeError for a page without sense."""
    main, last = _number(meta, _MAIN_ROOT, 8), _number(meta, _LAST_PAGE, 8)
    page = pread(fd, size, main * size) if main <= last else b""
    if _kind(page, main) != _LEAF:
        return False
    named = [main, *roots(page, memoryview(page).cast("H")).values()]
    return free.isdisjoint(named) and max([root for root in named if root != _NONE]) <= last


def ends_in_free_pages(fd: int, length: int) -> bool:
    """Whether every page that a file of this length lacks is free: LMDB does not write pages at the end that one transaction
    takes and gives back."""
    size, _, meta = newest_meta(fd)
    free = _free_pages(fd, size, meta) if size else None
    return free is not None and set(range(length // size, _number(meta, _LAST_PAGE, 8) + 1)) <= set(free)


def _free_pages(fd: int, size: int, meta: bytes) -> list[int] | None:
    """Pages that the newest commit has left free; None unless every page of the list is in its place and names
    pages of the file only, each once, in order."""
    root, last = _number(meta, _FREE_ROOT, 8), _number(meta, _LAST_PAGE, 8)
    waiting = [] if root == _NONE else [root]
    found: list[int] = []
    for _ in range(_MOST_PAGES):
        if not waiting:
            return found
        number = waiting.pop()
        page = pread(fd, size, number * size)
        kind = _kind(page, number) if 1 < number <= last else 0
        lower = _number(page, 12, 2)
        if kind not in (_BRANCH, _LEAF) or not _HEAD <= lower <= len(page):
            return None
        for place in range(_HEAD, lower - 1, 2):
            at = _number(page, place, 2)
            if kind == _BRANCH:
                waiting.append(_number(page, at, 6))
                continue
            free = _entry(fd, size, page, at, last)
            if not free:
                return None
            found += free
    return found  # a list as long as this is not looked at to its end


def _entry(fd: int, size: int, page: bytes, at: int, last: int) -> list[int]:
    """Free pages of one transaction; [] when the entry is not sound."""
    length = _number(page, at, 4)
    begin = at + 8 + _number(page, at + 6, 2)
    data = page[begin : begin + length]
    if _number(page, at + 4, 2) & _BIG:
        data = pread(fd, length, _number(data, 0, 8) * size + _HEAD)
    if begin - at != 16 or len(data) != length or length % 8 or not length:
        return []
    numbers = memoryview(data).cast("Q").tolist()
    free: list[int] = numbers[1:]
    # There may be thousands: comparing whole lists takes a tenth of comparing neighbours.
    ordered = numbers[0] == len(free) == len(set(free)) and free == sorted(free, reverse=True)
    return free if free and ordered and free[0] <= last and free[-1] > 1 else []


def _kind(page: bytes, number: int) -> int:
    return _number(page, 10, 2) & ~16 if len(page) >= _HEAD and _number(page, 0, 8) == number else 0


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")
