"""Hot: what the bytes of one of LMDB's leaf pages hold. A page is its bytes and the same as 16-bit numbers.

For a page that is not what it should be every function raises IndexError, OverflowError or ValueError.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Page = tuple[bytes, memoryview]

HEAD = 16
TREE_ENTRIES, TREE_ROOT = 32, 40
TREE, DUPLICATES = 2, 4  # flags of a node whose data are duplicates: the head of their tree, or a page of them
_BRANCH, _PACKED = 1, 32


def names(raw: bytes, shorts: memoryview) -> list[bytes]:
    """The keys."""
    return [raw[at + 8 : at + 8 + shorts[(at >> 1) + 3]] for at in shorts[8 : shorts[6] >> 1].tolist()]


def heads(raw: bytes, shorts: memoryview) -> list[bytes]:
    """The head of every sub-database named there."""
    ends = [at + 8 + shorts[(at >> 1) + 3] for at in shorts[8 : shorts[6] >> 1].tolist()]
    return [raw[end : end + TREE_ROOT + 8] for end in ends]


def roots(raw: bytes, shorts: memoryview) -> dict[bytes, int]:
    """Page number of the root of every sub-database named there."""
    found = {}
    for at in shorts[8 : shorts[6] >> 1].tolist():
        end = at + 8 + shorts[(at >> 1) + 3]
        found[raw[at + 8 : end]] = int.from_bytes(raw[end + TREE_ROOT : end + TREE_ROOT + 8], "little")
    return found


def items(raw: bytes, shorts: memoryview) -> bytes:
    """The 8-byte items of a page of duplicates."""
    end = HEAD + (shorts[6] - HEAD >> 1) * 8
    if not shorts[5] & _PACKED or shorts[4] != 8 or end > len(raw):
        raise ValueError("a page of a wrong kind")
    return raw[HEAD:end]


def leaves(page: Callable[[int], Page], header: bytes, depth: int = 32) -> list[Page]:
    """Every leaf of a tree, ascending. `page` reads one; `header` is the number of the root's."""
    raw, shorts = page(int.from_bytes(header, "little"))
    if not shorts[5] & _BRANCH:
        return [(raw, shorts)]
    if not depth:
        raise ValueError("a tree without end")
    return [leaf for at in shorts[8 : shorts[6] >> 1].tolist() for leaf in leaves(page, raw[at : at + 6], depth - 1)]


def size(flags: int, data: bytes) -> int:
    """How many values a node holds, if they are integers of 8 bytes."""
    if flags & TREE:
        return int.from_bytes(data[TREE_ENTRIES:TREE_ROOT], "little")
    return len(items(data, memoryview(data[:HEAD]).cast("H"))) // 8 if flags & DUPLICATES else 1
