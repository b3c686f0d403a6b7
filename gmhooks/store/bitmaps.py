"""Hot, in large namespaces only: which facts hold a common term, as one bit a fact, beside its postings.

A posting takes 8 bytes, so a term that more than one fact in 64 holds is read faster as bits, and sets of facts are then
combined by single operations on long integers. Consolidation chooses the terms (`fold`); from then on every write
keeps their bits. A value is the number of facts (8 bytes), the number of *strong* postings (8), those postings, and the
bits: fact number d is bit d. Strong postings weigh more than one occurrence in a short fact; all others weigh that or less.
"""

from __future__ import annotations

from _imp import source_hash

from gmhooks.store.fail import errors
from gmhooks.store.layout import BITMAPS, DOC_MASK, LENGTH_FLOOR, POSTINGS, encode_text, scoped_key
from gmhooks.store.meta import counter
from gmhooks.store.postings import posting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Namespace

# Namespaces that never had more facts have no bitmaps: they are ranked from their postings, exactly.
EXACT_UP_TO = 100_000
MADE = "bitmaps"
_SHARE = 512
_WIDTH = 8
_PAGE = 4096


class Bitmap:
    """One term's facts: `df` how many, `bits` as bytes, `strong` postings by fact number."""

    __slots__ = ("bits", "df", "strong")

    def __init__(self, df: int, strong: dict[int, int], bits: bytes) -> None:
        self.df = df
        self.strong = strong
        self.bits = bits


def find(store: Reader, number: int, term: str) -> Bitmap | None:
    """The bitmap of a term in a namespace; None for a term that has none. Only where `MADE` counts some."""
    raw = store.get(BITMAPS, source_hash(store.identity.secret, number.to_bytes(4, "big") + encode_text(term)))
    try:
        return _unpack(raw) if raw else None
    except (ValueError, TypeError):
        raise errors().StoreDamaged(f"{store.path}: a bitmap that makes no sense") from None


def note(store: Store, ns: Namespace, doc: int, counts: dict[str, int], length: int, *, on: bool) -> None:
    """Set or clear the bits of one fact in the bitmaps of its terms (write)."""
    if not counter(store, MADE):
        return
    for term, tf in counts.items():
        key = scoped_key(store.identity.secret, ns.number, encode_text(term))
        raw = store.get(BITMAPS, key)
        if raw is not None:
            bitmap = _unpack(raw)
            bits = _room(bytearray(bitmap.bits), doc)
            if on:
                bits[doc >> 3] |= 1 << (doc & 7)
            else:
                bits[doc >> 3] &= ~(1 << (doc & 7))
            bitmap.strong.pop(doc, None)
            value = posting(tf, length, doc)
            if on and value < posting(1, LENGTH_FLOOR, 0):
                bitmap.strong[doc] = value
            store.put(BITMAPS, key, _pack(bitmap.df + (1 if on else -1), bitmap.strong.values(), bits))


def build(postings: list[int], facts: int) -> bytes:
    """The value for these postings, with room for that many facts."""
    bits = _room(bytearray(), max([facts - 1, *[value & DOC_MASK for value in postings]]))
    plain = posting(1, LENGTH_FLOOR, 0)
    for value in postings:
        doc = value & DOC_MASK
        bits[doc >> 3] |= 1 << (doc & 7)
    return _pack(len(postings), [value for value in postings if value < plain], bits)


def fold(store: Store, exact_up_to: int = EXACT_UP_TO) -> int:
    """Make bitmaps for the common terms of large namespaces, drop those of terms that became rare; how many there are now
    (write)."""
    from gmhooks.store.meta import bump
    from gmhooks.store.namespaces import listed

    large = [ns for ns in listed(store) if ns.next_doc > exact_up_to]
    if not large:
        return counter(store, MADE)
    kept = set()
    least = min([ns.live for ns in large]) // _SHARE
    for key, df, first in _terms(store.cursor(POSTINGS)):
        there = store.get(BITMAPS, key) is not None
        owner = _owner(store, large, key, first) if there or df > least else None
        if owner is not None and df * _SHARE * (1 + there) > owner.live:
            kept.add(key)
            if not there:
                store.put(BITMAPS, key, build(store.packed(POSTINGS, [key])[0], owner.next_doc))
    for key in [key for key, _ in store.cursor(BITMAPS) if key not in kept]:
        store.txn.delete(key, db=store.db(BITMAPS))
    bump(store, MADE, len(kept) - counter(store, MADE))
    return len(kept)


def unfaithful(store: Store) -> int:
    """How many bitmaps say something else than the postings they stand for."""
    from gmhooks.store.later import present

    wrong = 0
    for key, raw in store.cursor(BITMAPS) if present(store, BITMAPS) else ():
        there, wanted = _unpack(raw), _unpack(build(store.packed(POSTINGS, [key])[0], 0))
        bits = [int.from_bytes(bitmap.bits, "little") for bitmap in (there, wanted)]
        wrong += (there.df, there.strong, bits[0]) != (wanted.df, wanted.strong, bits[1])
    return wrong


def _terms(cursor: Any) -> list[tuple[bytes, int, int]]:
    """(key, document frequency, number of its strongest fact) of every term of the index."""
    found = []
    more = cursor.first()
    while more:
        found.append((cursor.key(), cursor.count(), int.from_bytes(cursor.value(), "little") & DOC_MASK))
        more = cursor.next_nodup()
    return found


def _owner(store: Store, spaces: list[Namespace], key: bytes, doc: int) -> Namespace | None:
    """The namespace of a term's key: the one whose fact of that number has the term."""
    from gmhooks.store.facts import get
    from gmhooks.text.tokens import terms

    for ns in spaces:
        fact = get(store, ns.number, doc)
        if fact is not None:
            secret = store.identity.secret
            if any(scoped_key(secret, ns.number, encode_text(term)) == key for term in terms(fact.text)):
                return ns
    return None


def _room(bits: bytearray, doc: int) -> bytearray:
    """The same with a bit for that number, in whole pages."""
    return bits + bytes(max((doc >> 3) // _PAGE * _PAGE + _PAGE - len(bits), 0))


def _pack(df: int, strong: Iterable[int], bits: bytearray) -> bytes:
    heads = sorted(strong)
    return b"".join([number.to_bytes(_WIDTH, "little") for number in (df, len(heads), *heads)]) + bits


def _unpack(raw: bytes) -> Bitmap:
    df, count = memoryview(raw[: 2 * _WIDTH]).cast("Q")
    end = _WIDTH * (2 + count)
    heads = memoryview(raw[2 * _WIDTH : end]).cast("Q").tolist()
    return Bitmap(df, {value & DOC_MASK: value for value in heads}, raw[end:])
