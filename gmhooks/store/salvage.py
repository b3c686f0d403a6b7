"""Cold: every record that a damaged data file still holds. Only bytes are read; LMDB never sees the file.

A record counts only with its checksum, which covers its key. Pages that the newest meta page reaches come first. Then all
other pages that are not free: where a branch is lost, what hung on it is still there. Free pages hold what was deleted, but
not a page that lies in another's place, whatever the list of free pages says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import (
    AUDIT,
    CHECKPOINTS,
    EDGES,
    META,
    NODES,
    TOUCHES,
    decode_text,
    scoped_key,
    unseal,
)
from gmhooks.store.learning import is_key as is_evidence
from gmhooks.store.records import (
    SOURCES,
    Fact,
    Identity,
    Namespace,
    unpack_fact,
    unpack_identity,
    unpack_namespace,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = 4096
_HEAD = 16
_BRANCH, _LEAF, _PACKED = 1, 2, 32
_BIG, _TREE, _DUPLICATES = 1, 2, 4
_MAGIC = b"\xde\xc0\xef\xbe"
_NOWHERE = (1 << 64) - 1
_FACT_BYTES = 56
_NUMBERS = 1 << 32


@dataclass(slots=True)
class Salvage:
    """What was found. `others` are records that are copied as they are: (sub-database, key, value)."""

    identity: Identity | None = None
    namespaces: dict[int, Namespace] = field(default_factory=dict)
    facts: dict[tuple[int, int], Fact] = field(default_factory=dict)
    others: dict[tuple[bytes, bytes], bytes] = field(default_factory=dict)


def salvage(data: bytes) -> Salvage:
    """Read all records of a data file's bytes, whatever their state."""
    image = _Image(data)
    records = list(image.records())
    found = Salvage()
    for key, raw in records:
        body = unseal(key, raw) if key == IDENTITY_KEY else None
        if body is not None and found.identity is None:
            found.identity = unpack_identity(body)
    for key, raw in records:
        body = unseal(key, raw)
        if body is not None:
            try:
                _enter(found, key, raw, body)
            except (ValueError, IndexError):
                continue  # sound, but none of ours
    return found


class _Image:
    """The pages of a data file (format of LMDB 0.9)."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        named = int.from_bytes(data[40:44], "little") if data[16:20] == _MAGIC else 0
        self._size = named if 256 <= named <= 65536 and not named & (named - 1) else _PAGE
        self._seen: set[int] = set()

    def records(self) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of every node that holds a value of its own, those of the newest commit first."""
        metas = [self._data[at : at + 152] for at in (0, self._size) if self._data[at + 16 : at + 20] == _MAGIC]
        metas.sort(key=_commit, reverse=True)
        free: set[int] = set()
        if metas:
            free = self._free(metas[0])
            if _commit(metas[0]) - _commit(metas[-1]) != 1:
                free &= self._free(metas[-1])  # which of them is the newest is not certain
            yield from self._tree(_number(metas[0], 128, 8))
        for number in range(len(self._data) // self._size):
            at = number * self._size
            misplaced = _number(self._data, at, 8) != number
            leaf = _number(self._data, at + 10, 2) & (_LEAF | _BRANCH | _PACKED) == _LEAF
            if leaf and number not in self._seen and (misplaced or number not in free):
                yield from self._leaf(number)

    def _free(self, meta: bytes) -> set[int]:
        """The pages that a commit left free."""
        values = [value for _, value in self._tree(_number(meta, 80, 8))]
        return {_number(value, at, 8) for value in values for at in range(8, len(value) - 7, 8)}

    def _tree(self, root: int) -> Iterator[tuple[bytes, bytes]]:
        waiting = [root]
        while waiting:
            number = waiting.pop()
            flags = self._flags(number)
            if number in self._seen or not flags:
                continue
            self._seen.add(number)
            if flags & _BRANCH:
                waiting += [_number(self._data, at, 6) for at in self._nodes(number)][::-1]
            elif flags & _LEAF and not flags & _PACKED:
                for at in self._nodes(number):
                    if _number(self._data, at + 4, 2) & _TREE:
                        start = at + 8 + _number(self._data, at + 6, 2)
                        waiting.append(_number(self._data, start + 40, 8))
                yield from self._leaf(number)

    def _flags(self, number: int) -> int:
        """Kind of a page; 0 when it is not there or not itself."""
        at = number * self._size
        there = number != _NOWHERE and at + self._size <= len(self._data) and _number(self._data, at, 8) == number
        return _number(self._data, at + 10, 2) if there else 0

    def _nodes(self, number: int) -> list[int]:
        """Where the nodes of a page begin, in the file."""
        start = number * self._size
        lower = _number(self._data, start + 12, 2)
        if not _HEAD <= lower <= self._size:
            return []
        offsets = [_number(self._data, start + at, 2) for at in range(_HEAD, lower - 1, 2)]
        return [start + offset for offset in offsets if _HEAD <= offset <= self._size - 8]

    def _leaf(self, number: int) -> Iterator[tuple[bytes, bytes]]:
        for at in self._nodes(number):
            size = _number(self._data, at, 4)
            flags, width = _number(self._data, at + 4, 2), _number(self._data, at + 6, 2)
            key = self._data[at + 8 : at + 8 + width]
            value = self._data[at + 8 + width : at + 8 + width + size]
            if flags & _BIG:
                begin = _number(value, 0, 8) * self._size + _HEAD
                value = self._data[begin : begin + size]
            if not flags & (_TREE | _DUPLICATES):
                yield key, value


def _commit(meta: bytes) -> int:
    """The number of the commit that wrote a meta page."""
    return _number(meta, 144, 8)


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def _enter(found: Salvage, key: bytes, raw: bytes, body: bytes) -> None:
    """Take one sound record for what its key and shape say. ValueError or IndexError when it is none of ours."""
    number = int.from_bytes(key, "big")
    name = b""
    if len(key) == 8 and number >= _NUMBERS:
        if len(body) > _FACT_BYTES:
            _enter_fact(found, unpack_fact(number // _NUMBERS, number % _NUMBERS, body))
        elif len(body) in (16, 24):
            name = TOUCHES
    elif len(key) == 16:
        if _named(found, key, body[48:]) and body[16:20] in (bytes(4), b"\1\0\0\0"):
            ns = unpack_namespace(body)
            known = found.namespaces.setdefault(ns.number, ns)
            if known.next_doc < ns.next_doc:
                found.namespaces[ns.number] = ns
        elif _named(found, key, body[20 : 20 + _number(body, 16, 4)]):
            name = NODES
    elif key.startswith(b"counter:") or is_evidence(key):
        name = META
    else:
        name = {8: AUDIT, 20: CHECKPOINTS, 40: EDGES}.get(len(key), b"")
    if name:
        found.others.setdefault((name, key), raw)


def _named(found: Salvage, key: bytes, name: bytes) -> bool:
    """Whether a key is that of this agent or node id; without the store's secret any readable name will do."""
    try:
        decode_text(name)
    except UnicodeDecodeError:
        return False
    if not name:
        return False
    if found.identity is None:
        return True
    secret = found.identity.secret
    return key == scoped_key(secret, 0, name) + scoped_key(secret ^ 1, 0, name)


def _enter_fact(found: Salvage, fact: Fact) -> None:
    if fact.source >= len(SOURCES) or not fact.text:
        raise ValueError("not a fact")
    known = found.facts.setdefault((fact.ns, fact.doc), fact)
    if known.live and not fact.live:
        found.facts[fact.ns, fact.doc] = fact  # of two states of a lost page, the one that was taken out of recall
