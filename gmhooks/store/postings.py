"""Hot: which facts hold a term, how often, and how long they are. One packed integer a posting, strongest first."""

from __future__ import annotations

from _imp import source_hash

from gmhooks.store.layout import (
    IMPACT_SHIFT,
    IMPACT_TOP,
    LENGTH_FLOOR,
    LENGTH_MASK,
    LENGTH_SHIFT,
    POSTINGS,
    TF_MASK,
    TF_SHIFT,
    encode_text,
    scoped_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader

_WIDTH = 8


def weight(tf: int, length: int) -> float:
    """BM25's document part with the fixed pivot of 24 terms: tf·1.9 / (tf + 0.9·max(length, 24)/24)."""
    return tf * 1.9 / (tf + 0.9 * max(length, LENGTH_FLOOR) / LENGTH_FLOOR)


def posting(tf: int, length: int, doc: int) -> int:
    """One posting as a number. Length is kept from the floor up only, so that most facts share one (tf, length)."""
    tf = min(tf, TF_MASK)
    length = min(max(length, LENGTH_FLOOR), LENGTH_MASK)
    impact = int(weight(tf, length) * IMPACT_TOP / 1.9)
    return (IMPACT_TOP - impact) << IMPACT_SHIFT | tf << TF_SHIFT | length << LENGTH_SHIFT | doc


def pack(tf: int, length: int, doc: int) -> bytes:
    """One posting as it is stored."""
    return posting(tf, length, doc).to_bytes(_WIDTH, "little")


def lookup(store: Reader, number: int, names: list[str]) -> list[list[int]]:
    """The postings of each term in a namespace, ascending = strongest first; [] for an unknown term."""
    secret = store.identity.secret
    prefix = number.to_bytes(4, "big")
    return store.packed(POSTINGS, [source_hash(secret, prefix + encode_text(name)) for name in names])


def df(store: Reader, number: int, term: str) -> int:
    """Number of live facts that hold a term, without reading them."""
    return store.count(POSTINGS, scoped_key(store.identity.secret, number, encode_text(term)))


def add(store: Store, number: int, doc: int, counts: dict[str, int], length: int) -> None:
    """Index one fact (write)."""
    store.cursor(POSTINGS).putmulti(_entries(store, number, doc, counts, length))


def remove(store: Store, number: int, doc: int, counts: dict[str, int], length: int) -> None:
    """Take one fact out of the index (write)."""
    handle = store.db(POSTINGS)
    for key, value in _entries(store, number, doc, counts, length):
        store.txn.delete(key, value, db=handle)


def _entries(store: Store, number: int, doc: int, counts: dict[str, int], length: int) -> list[tuple[bytes, bytes]]:
    """(key, posting) of each term, by key: neighbours share pages."""
    secret = store.identity.secret
    packed = {tf: pack(tf, length, doc) for tf in set(counts.values())}
    return sorted([(scoped_key(secret, number, encode_text(term)), packed[tf]) for term, tf in counts.items()])
