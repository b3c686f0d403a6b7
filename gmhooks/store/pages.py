"""Hot: read the store's trees straight from its file, page by page, without LMDB.

A prompt looks a few dozen records up. Loading LMDB for that costs an eighth of an empty interpreter, and a damaged file
that LMDB maps can end the process by a signal; a short read here is an ordinary error. The format is that of LMDB 0.9
(data version 1, 64-bit), which docs/store-format.md fixes for every store.

Nothing is locked and no reader slot is taken: the pages of the last commit are read optimistically. LMDB keeps the pages
of commit N until commit N + 2 is there, and commit N + 2 overwrites the meta page of commit N. So what was read is one
consistent snapshot if, and only if, that meta page is still the same afterwards: ask `settled` before using anything.
"""

from __future__ import annotations

from posix import O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, close, fstat, pread
from posix import open as posix_open

from gmhooks.store.fail import errors
from gmhooks.store.guard import META_SIZE, check_file, newest_meta
from gmhooks.store.identity import identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gmhooks.store.env import Store
    from gmhooks.store.records import Identity

    Reader: TypeAlias = "Store | Pages"  # whatever is only read may be given either

_BRANCH, _LEAF, _PACKED = 1, 2, 32
_BIG, _TREE, _DUPLICATES = 1, 2, 4
_HEAD = 16
_DEEPEST = 32
_MAIN_ROOT = 128
_TREE_ENTRIES, _TREE_ROOT = 32, 40
_EMPTY_TREE = bytes(48)
_NONE = (1 << 64) - 1


class Pages:
    """A snapshot of one store; the reading half of `Store`. Every method may raise StoreDamaged (or StoreMoved, see
    `settled`); `close` it on every path."""

    __slots__ = ("_end", "_fd", "_meta", "_place", "_roots", "_seen", "_size", "identity", "path")

    identity: Identity
    writable = False

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._fd = posix_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        except FileNotFoundError:
            raise errors().StoreMissing(f"{path}: no store yet") from None
        except OSError as error:
            raise errors().StoreDenied(f"{path}: {error.strerror}") from None
        try:
            status = fstat(self._fd)
            check_file(path, status)
            self._end = status.st_size
            self._size, self._place, self._meta = newest_meta(self._fd)
            if not self._size:
                raise self._damaged("no meta page")
            self._seen: dict[int, tuple[bytes, memoryview]] = {}
            self._roots = self._databases(int.from_bytes(self._meta[_MAIN_ROOT : _MAIN_ROOT + 8], "little"))
            self.identity = identify(self)
        except BaseException:
            close(self._fd)
            raise

    def close(self) -> None:
        """Give the descriptor back."""
        close(self._fd)

    def settled(self) -> bool:
        """Whether all that was read so far belongs to one commit."""
        return pread(self._fd, META_SIZE, self._place) == self._meta

    def get(self, name: bytes, key: bytes) -> bytes | None:
        """Raw value under `key` of a sub-database, or None."""
        try:
            found = self._find(self._root(name), key)
        except (IndexError, ValueError, OverflowError):
            raise self._damaged("a page that makes no sense") from None
        return found[1] if found is not None else None

    def packed(self, name: bytes, key: bytes) -> list[int]:
        """The 8-byte values under `key` of a sub-database of integer duplicates, ascending."""
        try:
            found = self._find(self._root(name), key)
            if found is None:
                return []
            flags, data = found
            if flags & _TREE:
                data = b"".join(self._leaves(int.from_bytes(data[_TREE_ROOT : _TREE_ROOT + 8], "little"), _DEEPEST))
            elif flags & _DUPLICATES:
                data = self._items(data, memoryview(data[:_HEAD]).cast("H"))
            values: list[int] = memoryview(data).cast("Q").tolist()
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None
        return values

    def count(self, name: bytes, key: bytes) -> int:
        """How many values are under `key` of a sub-database of integer duplicates."""
        try:
            flags, data = self._find(self._root(name), key) or (_TREE, _EMPTY_TREE)
            if flags & _TREE:
                return int.from_bytes(data[_TREE_ENTRIES:_TREE_ROOT], "little")
            return len(self._items(data, memoryview(data[:_HEAD]).cast("H"))) // 8 if flags & _DUPLICATES else 1
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None

    def values(self, name: bytes, key: bytes) -> list[bytes]:
        """The values under `key` of a sub-database of duplicates, ascending."""
        try:
            found = self._find(self._root(name), key)
            if found is None:
                return []
            flags, data = found
            if not flags & _DUPLICATES:
                return [data]
            if flags & _TREE:
                return self._keys(int.from_bytes(data[_TREE_ROOT : _TREE_ROOT + 8], "little"), _DEEPEST)
            return self._names(data, memoryview(data[: len(data) & ~1]).cast("H"))
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None

    def _databases(self, number: int) -> dict[bytes, int]:
        """Page number of the root of every named sub-database: their names fit one page."""
        try:
            raw, shorts = self._page(number)
            roots = {}
            for at in shorts[8 : 8 + (shorts[6] - _HEAD >> 1)].tolist():
                end = at + 8 + shorts[(at >> 1) + 3]
                roots[raw[at + 8 : end]] = int.from_bytes(raw[end + _TREE_ROOT : end + _TREE_ROOT + 8], "little")
        except (IndexError, OverflowError):
            raise self._damaged("a page that makes no sense") from None
        return roots

    def _root(self, name: bytes) -> int:
        """Page number of the root of a named sub-database."""
        root = self._roots.get(name)
        if root is None:
            raise self._damaged(f"no {name.decode()}")
        return root

    def _page(self, number: int) -> tuple[bytes, memoryview]:
        """A page, and the same as 16-bit numbers."""
        page = self._seen.get(number)
        if page is None:
            raw = pread(self._fd, self._size, number * self._size)
            if len(raw) != self._size or int.from_bytes(raw[:8], "little") != number:
                raise self._damaged(f"page {number} is not there")
            page = self._seen[number] = (raw, memoryview(raw).cast("H"))
        return page

    def _find(self, number: int, key: bytes) -> tuple[int, bytes] | None:
        """(node flags, data) of a key in the tree under a root page, or None. Keys of one tree have one size, but for those
        of `meta`, which fit one page."""
        if number == _NONE:
            return None
        size = len(key)
        for _ in range(_DEEPEST):
            raw, shorts = self._page(number)
            inner = shorts[5] & _BRANCH
            low, high = inner, (shorts[6] - _HEAD) >> 1
            bound = key + b"\0" if inner else key  # in a branch, the last key that is not greater
            while low < high:
                middle = low + high >> 1
                at = shorts[8 + middle] + 8
                if raw[at : at + size] < bound:
                    low = middle + 1
                else:
                    high = middle
            if not inner:
                return self._node(raw, shorts, low, key)
            at = shorts[7 + low]
            number = int.from_bytes(raw[at : at + 6], "little")
        raise self._damaged("a tree without end")

    def _node(self, raw: bytes, shorts: memoryview, place: int, key: bytes) -> tuple[int, bytes] | None:
        """(flags, data) of a leaf's node if it is the one of this key."""
        if not shorts[5] & _LEAF:
            raise self._damaged("a page of a wrong kind")
        if place >= (shorts[6] - _HEAD) >> 1:
            return None
        at = shorts[8 + place]
        half = at >> 1
        start = at + 8 + shorts[half + 3]
        if raw[at + 8 : start] != key:
            return None
        flags, size = shorts[half + 2], shorts[half] | shorts[half + 1] << 16
        data = raw[start : start + size]
        if flags & _BIG:
            number = int.from_bytes(raw[start : start + 8], "little")
            if size > self._end:  # a damaged length must not decide how much memory is asked for
                raise self._damaged("a record longer than its file")
            whole = pread(self._fd, _HEAD + size, number * self._size)
            data = whole[_HEAD:]
            if int.from_bytes(whole[:8], "little") != number:
                size = -1
        if len(data) != size:
            raise self._damaged("a record that ends too soon")
        return flags, data

    def _leaves(self, number: int, depth: int) -> list[bytes]:
        """The items of every leaf of a tree of duplicates, ascending."""
        raw, shorts = self._page(number)
        if not shorts[5] & _BRANCH:
            return [self._items(raw, shorts)]
        if not depth:
            raise self._damaged("a tree without end")
        found = []
        for at in shorts[8 : 8 + (shorts[6] - _HEAD >> 1)].tolist():
            found += self._leaves(int.from_bytes(raw[at : at + 6], "little"), depth - 1)
        return found

    def _keys(self, number: int, depth: int) -> list[bytes]:
        """The keys of every leaf of a tree, ascending: the values where a tree holds duplicates."""
        raw, shorts = self._page(number)
        if not shorts[5] & _BRANCH:
            return self._names(raw, shorts)
        if not depth:
            raise self._damaged("a tree without end")
        found = []
        for at in shorts[8 : 8 + (shorts[6] - _HEAD >> 1)].tolist():
            found += self._keys(int.from_bytes(raw[at : at + 6], "little"), depth - 1)
        return found

    @staticmethod
    def _names(raw: bytes, shorts: memoryview) -> list[bytes]:
        """The keys of one leaf."""
        places = shorts[8 : 8 + (shorts[6] - _HEAD >> 1)].tolist()
        return [raw[at + 8 : at + 8 + shorts[(at >> 1) + 3]] for at in places]

    def _items(self, raw: bytes, shorts: memoryview) -> bytes:
        """The 8-byte items of one page of duplicates."""
        end = _HEAD + (shorts[6] - _HEAD >> 1) * 8
        if not shorts[5] & _PACKED or shorts[4] != 8 or end > len(raw):
            raise self._damaged("a page of a wrong kind")
        return raw[_HEAD:end]

    def _damaged(self, what: str) -> Exception:
        """The error for a file that is not what it says: `StoreMoved` if only a writer was too fast for this snapshot."""
        kind = "StoreDamaged" if self.settled() else "StoreMoved"
        error: Exception = getattr(errors(), kind)(f"{self.path}: {what}")
        return error
