"""Hot: look at what LMDB trusts: the roots of the trees; for writers meta pages and the list of free pages, too.

When damage has put something else in their place, a commit overwrites pages that are in use, and what a repair could have
saved is gone; or LMDB ends the process. Everything else that is damaged costs a commit only what was lost already.
"""

from __future__ import annotations

from posix import O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, close, pread
from posix import open as posix_open

from gmhooks.store.errors import StoreDamaged
from gmhooks.store.guard import META_SIZE, newest_meta
from gmhooks.store.leaf import TREE_ROOT, heads, roots

_FREE_FLAGS_AT, _FREE_ROOT, _MAIN_HEAD_AT, _MAIN_ROOT, _LAST_PAGE, _COMMIT = 44, 80, 88, 128, 136, 144
_DEPTH_AT = 6
_NONE = (1 << 64) - 1
_HEAD = 16
_BRANCH, _LEAF, _BIG = 1, 2, 1
_DEEPEST = 32
_MOST_PAGES = 256
_OVERTAKEN = 3  # times that two commits may come between a meta page and the pages it names
_WAY_OUT = "`graymatter doctor --repair` saves what is left"
# LMDB dies of other flags: an environment in one file, whose list has keys that are integers.
_FREE_FLAGS = b"\x08\x40"
_ONE_LEVEL = b"\0\0\0\0\0\0\1\0"  # the head of the tree of trees: no sizes, no flags, one page


def check_free_list(path: str) -> None:
    """Raises StoreDamaged unless the newest commit follows the one before it, and its list of free pages and the roots of
    its trees are what they have to be."""
    fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try:
        size, place, meta = newest_meta(fd)
        free = _free_pages(fd, size, meta) if _in_turn(fd, size, place, meta) else None
        sound = free is not None and _rooted(fd, size, meta, free)
    except (IndexError, OverflowError, TypeError):
        sound = False  # numbers beyond every file, a page that makes no sense
    finally:
        close(fd)
    if not sound:
        raise StoreDamaged(f"{path}: its meta pages, roots or free pages are damaged; {_WAY_OUT}")


def _in_turn(fd: int, size: int, place: int, meta: bytes) -> bool:
    """Whether both meta pages have the numbers of their commits: a wrong one would bring an older state back. Commits take
    turns in them, and each puts the pages that it replaced into the list under its own number."""
    former = pread(fd, META_SIZE, size - place)
    commit = _number(meta, _COMMIT, 8)
    return (
        commit - _number(former, _COMMIT, 8) == 1
        and place == (commit & 1) * size
        and meta[_FREE_FLAGS_AT : _FREE_FLAGS_AT + 2] == _FREE_FLAGS
        # Nothing was replaced before a store's first commit; after `compact` both pages tell the same.
        and (_number(meta, _FREE_ROOT, 8) != _NONE or commit < 2 or meta[8:_COMMIT] == former[8:_COMMIT])
        and _last_listed(fd, size, meta) in (0, commit)
        and _last_listed(fd, size, former) in (0, commit - 1, _taken_back(commit, meta, former))
    )


def _taken_back(commit: int, meta: bytes, former: bytes) -> int:
    """The commit whose list the former meta page may have instead of its own: when the system refuses to write a meta page,
    LMDB puts the number and the last page back that it had, and leaves the rest. -1 if they were not put back."""
    return commit + 1 if _number(former, _LAST_PAGE, 8) <= _number(meta, _LAST_PAGE, 8) else -1


def _last_listed(fd: int, size: int, meta: bytes) -> int:
    """The commit of the last entry in a commit's list, which is its own; 0 of an empty list, -1 where there is no list."""
    root = _number(meta, _FREE_ROOT, 8)
    for _ in range(_DEEPEST):
        if root == _NONE:
            return 0
        page = pread(fd, size, root * size)
        at = _number(page, _number(page, 12, 2) - 2, 2)
        if _kind(page, root) == _LEAF:
            return _number(page, at + 8, 8)
        root = _number(page, at, 6)
    return -1


def _rooted(fd: int, size: int, meta: bytes, free: set[int]) -> bool:
    """Whether no root of a tree is a free page, one behind the last or one of another kind. IndexError or TypeError for a
    page without sense."""
    main, last = _number(meta, _MAIN_ROOT, 8), _number(meta, _LAST_PAGE, 8)
    page = pread(fd, size, main * size) if main <= last else b""
    if _kind(page, main) != _LEAF or meta[_MAIN_HEAD_AT : _MAIN_HEAD_AT + 8] != _ONE_LEVEL or main in free:
        return False
    for head in heads(page, memoryview(page).cast("H")):
        root = _number(head, TREE_ROOT, 8)
        if root == _NONE:
            continue
        kind = _LEAF if _number(head, _DEPTH_AT, 2) == 1 else _BRANCH
        if root in free or root > last or _shape(pread(fd, size, root * size), root, size) != kind:
            return False
    return True


def check_roots(path: str) -> None:
    """For readers, beside writers: raises StoreDamaged unless the roots of the trees are pages of their kind."""
    fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try:
        for _ in range(_OVERTAKEN):
            size, place, meta = newest_meta(fd)
            try:
                sound = _rooted(fd, size, meta, set())
            except (IndexError, OverflowError, TypeError):
                sound = False
            if sound:
                return
            if pread(fd, META_SIZE, place) == meta:
                raise StoreDamaged(f"{path}: a root of its trees is damaged; {_WAY_OUT}")
    finally:
        close(fd)


def check_way(path: str, name: bytes, key: bytes) -> None:
    """Raises StoreDamaged unless the pages from a tree's root to the place of a key are such as LMDB writes: before a change
    it copies a page with its flags, and there are flags with which it never writes the copy."""
    fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try:
        size, _, meta = newest_meta(fd)
        main = pread(fd, size, _number(meta, _MAIN_ROOT, 8) * size)
        if _leads(fd, size, roots(main, memoryview(main).cast("H"))[name], key):
            return
    except (IndexError, KeyError, OverflowError):
        pass  # no such tree, a branch that leads beyond the file
    finally:
        close(fd)
    raise StoreDamaged(f"{path}: a page of {name.decode()} is damaged; {_WAY_OUT}")


def _leads(fd: int, size: int, root: int, key: bytes) -> bool:
    for _ in range(_DEEPEST):
        page = pread(fd, size, root * size) if root != _NONE else b""
        kind = _shape(page, root, size)
        if kind != _BRANCH:
            return kind == _LEAF or root == _NONE
        shorts = memoryview(page).cast("H")
        low, high = 1, (shorts[6] - _HEAD) >> 1
        while low < high:
            middle = low + high >> 1
            at = shorts[8 + middle] + 8
            if page[at : at + len(key)] <= key:
                low = middle + 1
            else:
                high = middle
        root = _number(page, shorts[7 + low], 6)
    return False


def _shape(page: bytes, number: int, size: int) -> int:
    """_LEAF or _BRANCH for a page in its place whose head makes sense and whose nodes lie on it, else 0.

    At a single branch LMDB ends the process, and wherever a node is said to be it reads, behind the file, too."""
    if len(page) != size or page[:8] != number.to_bytes(8, "little"):
        return 0
    shorts = memoryview(page).cast("H")
    kind, lower, upper = shorts[5] & ~16, shorts[6], shorts[7]
    least = {_LEAF: _HEAD + 2, _BRANCH: _HEAD + 4}.get(kind, size)
    if not least <= lower <= upper <= size or lower & 1:
        return 0
    nodes = shorts[8 : lower >> 1].tolist()
    return kind if upper <= min(nodes) and max(nodes) <= size - 8 else 0


def ends_in_free_pages(fd: int, length: int) -> bool:
    """Whether every page that a file of this length lacks is free: LMDB does not write pages at the end that one transaction
    takes and gives back."""
    size, _, meta = newest_meta(fd)
    try:
        free = _free_pages(fd, size, meta) if size else None
    except (IndexError, OverflowError, TypeError):
        return False
    if free is None:
        return False
    # Counted first: a damaged number may name more pages than there is memory for their set.
    lacking = range(length // size, _number(meta, _LAST_PAGE, 8) + 1)
    return len(free) >= lacking.stop - lacking.start and free.issuperset(lacking)


def _free_pages(fd: int, size: int, meta: bytes) -> set[int] | None:
    """Pages that the newest commit has left free; None unless every page of the list is in its place and names
    pages of the file only, each once, in order."""
    root, last = _number(meta, _FREE_ROOT, 8), _number(meta, _LAST_PAGE, 8)
    waiting = [] if root == _NONE else [root]
    found: list[int] = []
    for _ in range(_MOST_PAGES):
        if not waiting:
            break  # at the latest: a list as long as this is not looked at to its end
        number = waiting.pop()
        page = pread(fd, size, number * size)
        kind = _kind(page, number) if 1 < number <= last else 0
        shorts = memoryview(page).cast("H")
        if kind not in (_BRANCH, _LEAF) or not _HEAD <= shorts[6] <= len(page):
            return None
        for at in shorts[8 : shorts[6] >> 1].tolist():
            if kind == _BRANCH:
                waiting.append(_number(page, at, 6))
                continue
            entry = _entry(fd, size, page, shorts, at, last)
            if not entry:
                return None
            found += entry
    free = set(found)
    return free if len(free) == len(found) else None


def _entry(fd: int, size: int, page: bytes, shorts: memoryview, at: int, last: int) -> list[int]:
    """Free pages of one transaction; [] when the entry is not sound."""
    node = at >> 1
    length = shorts[node] | shorts[node + 1] << 16
    # A damaged length must not decide how much memory is asked for.
    if at & 1 or shorts[node + 3] != 8 or length % 8 or not 0 < length <= last * size:
        return []
    data = page[at + 16 : at + 16 + length]
    if shorts[node + 2] & _BIG:
        data = pread(fd, length, _number(data, 0, 8) * size + _HEAD)
    if len(data) != length:
        return []
    numbers = memoryview(data).cast("Q").tolist()
    free: list[int] = numbers[1:]
    # There may be thousands: comparing whole lists takes a tenth of comparing neighbours.
    ordered = numbers[0] == len(free) and free == sorted(free, reverse=True)
    return free if free and ordered and free[0] <= last and free[-1] > 1 else []


def _kind(page: bytes, number: int) -> int:
    return _number(page, 10, 2) & ~16 if len(page) >= _HEAD and _number(page, 0, 8) == number else 0


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")
