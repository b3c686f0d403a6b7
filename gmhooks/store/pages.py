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
from gmhooks.store.leaf import DUPLICATES, HEAD, TREE, TREE_ROOT, items, leaves, names, roots, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gmhooks.store.env import Store
    from gmhooks.store.records import Identity

    Reader: TypeAlias = "Store | Pages"  # whatever is only read may be given either

_BRANCH, _LEAF = 1, 2
_BIG = 1
_DEEPEST = 32
_FEW = 8
_BYTES = bytes(range(256))
_MAIN_ROOT = 128
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
            try:
                self._roots = roots(*self._page(int.from_bytes(self._meta[_MAIN_ROOT : _MAIN_ROOT + 8], "little")))
            except (IndexError, OverflowError):
                raise self._damaged("a page that makes no sense") from None
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

    def packed(self, name: bytes, keys: list[bytes]) -> list[list[int]]:
        """The 8-byte values under each key of a sub-database of integer duplicates, ascending. Keys are 8-byte hashes."""
        found: dict[bytes, list[int]] = {}
        try:
            root = self._root(name)
            if root != _NONE:
                self._gather(root, keys, found, _DEEPEST)
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None
        return [found.get(key, []) for key in keys]

    def count(self, name: bytes, key: bytes) -> int:
        """How many values are under `key` of a sub-database of integer duplicates."""
        try:
            found = self._find(self._root(name), key)
            return 0 if found is None else size(*found)
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None

    def values(self, name: bytes, key: bytes) -> list[bytes]:
        """The values under `key` of a sub-database of duplicates, ascending."""
        try:
            found = self._find(self._root(name), key)
            if found is None:
                return []
            flags, data = found
            if not flags & DUPLICATES:
                return [data]
            if flags & TREE:
                every = leaves(self._page, data[TREE_ROOT : TREE_ROOT + 8])
                return [value for leaf in every for value in names(*leaf)]
            return names(data, memoryview(data[: len(data) & ~1]).cast("H"))
        except (IndexError, ValueError, TypeError, OverflowError):
            raise self._damaged("a page that makes no sense") from None

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
            if len(raw) != self._size or not raw.startswith(number.to_bytes(8, "little")):
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
            low, high = inner, (shorts[6] - HEAD) >> 1
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

    def _gather(self, number: int, keys: list[bytes], found: dict[bytes, list[int]], depth: int) -> None:
        """Enter what lies under keys that are hashes into `found`: one way down for all of them.

        A step of a search among nodes costs Python 3,000 instructions. Hashes differ in their first bytes and occur nowhere
        else by chance, so bytes are looked at. A branch's nodes take 16, but the leftmost: it has no key, mostly lies last.
        """
        raw, shorts = self._page(number)
        lower = shorts[6]
        if not shorts[5] & _BRANCH:
            if not shorts[5] & _LEAF:
                raise self._damaged("a page of a wrong kind")
            for key in keys:
                at = raw.find(key, lower) - 8
                if at > 0:
                    place = raw.find(at.to_bytes(2, "little"), HEAD, lower)
                    sure = place > 0 and not place & 1
                    node = self._node(raw, shorts, place - HEAD >> 1, key) if sure else self._find(number, key)
                    found[key] = self._numbers(node)
            return
        if not depth:
            raise self._damaged("a tree without end")
        count = (lower - HEAD) >> 1
        firsts = raw[shorts[7] + 8 : -8 : 16]  # of every key the first byte, in no order
        usual = count > _FEW and len(firsts) == count - 1 and shorts[8] == len(raw) - 8
        below: dict[int, list[bytes]] = {}
        for key in keys:
            low, high = 1, count
            if usual:
                low = count - len(firsts.translate(None, _BYTES[: key[0]]))
                high = low + firsts.count(key[0])
            while low < high:
                middle = low + high >> 1
                at = shorts[8 + middle] + 8
                if raw[at : at + 8] <= key:
                    low = middle + 1
                else:
                    high = middle
            below.setdefault(shorts[7 + low], []).append(key)
        for at, some in below.items():
            self._gather(int.from_bytes(raw[at : at + 6], "little"), some, found, depth - 1)

    def _numbers(self, found: tuple[int, bytes] | None) -> list[int]:
        """The 8-byte values of a node, [] without one."""
        if found is None:
            return []
        flags, data = found
        if flags & TREE:
            data = b"".join([items(*leaf) for leaf in leaves(self._page, data[TREE_ROOT : TREE_ROOT + 8])])
        elif flags & DUPLICATES:
            data = items(data, memoryview(data[:HEAD]).cast("H"))
        values: list[int] = memoryview(data).cast("Q").tolist()
        return values

    def _node(self, raw: bytes, shorts: memoryview, place: int, key: bytes) -> tuple[int, bytes] | None:
        """(flags, data) of a leaf's node if it is the one of this key."""
        if not shorts[5] & _LEAF:
            raise self._damaged("a page of a wrong kind")
        if place >= (shorts[6] - HEAD) >> 1:
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
            whole = pread(self._fd, HEAD + size, number * self._size)
            data = whole[HEAD:]
            if int.from_bytes(whole[:8], "little") != number:
                size = -1
        if len(data) != size:
            raise self._damaged("a record that ends too soon")
        return flags, data

    def _damaged(self, what: str) -> Exception:
        """The error for a file that is not what it says: `StoreMoved` if only a writer was too fast for this snapshot."""
        kind = "StoreDamaged" if self.settled() else "StoreMoved"
        error: Exception = getattr(errors(), kind)(f"{self.path}: {what}")
        return error
