"""Cold: what recalls taught about words that memory does not know, until it is an alias. One record a namespace."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from gmhooks.store.layout import META, decode_text, encode_text, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gmhooks.store.env import Store

PREFIX = b"learning:"
_NUMBER_BYTES = 4


@dataclass(frozen=True, slots=True)
class Miss:
    """A question that memory could hardly answer: when (µs), its words that no fact holds, and its words that facts hold."""

    at_us: int
    missed: tuple[str, ...]
    known: tuple[str, ...]


@dataclass(slots=True)
class Evidence:
    """The pending miss of a namespace, and for each (missed word, word that found something) how often and when last."""

    miss: Miss | None = None
    pairs: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)


def read(store: Store, number: int) -> Evidence:
    """What is kept for a namespace; nothing when there is no record or it is damaged."""
    key = _key(number)
    body = unseal(key, store.get(META, key))
    if body is None:
        return Evidence()
    held = json.loads(decode_text(body))
    miss = Miss(held["miss"][0], tuple(held["miss"][1]), tuple(held["miss"][2])) if held["miss"] else None
    return Evidence(miss, {(missed, found): (seen, at_us) for missed, found, seen, at_us in held["pairs"]})


def write(store: Store, number: int, evidence: Evidence) -> None:
    """Keep this for a namespace; no record when there is nothing to keep (write)."""
    if evidence.miss is None and not evidence.pairs:
        drop(store, number)
        return
    miss = evidence.miss
    held = {
        "miss": [miss.at_us, miss.missed, miss.known] if miss is not None else None,
        "pairs": [[*words, *seen] for words, seen in sorted(evidence.pairs.items())],
    }
    key = _key(number)
    store.put(META, key, seal(key, encode_text(json.dumps(held, ensure_ascii=False, separators=(",", ":")))))


def drop(store: Store, number: int) -> None:
    """Forget all evidence of a namespace (write)."""
    store.txn.delete(_key(number), db=store.db(META))


def numbers(store: Store) -> list[int]:
    """The namespaces that have a record."""
    return [int.from_bytes(key[len(PREFIX) :], "big") for key, _ in _records(store)]


def unreadable(store: Store) -> int:
    """How many records are damaged."""
    return sum(unseal(key, raw) is None for key, raw in _records(store))


def is_key(key: bytes) -> bool:
    """Whether a key of `meta` is that of such a record."""
    return key.startswith(PREFIX) and len(key) == len(PREFIX) + _NUMBER_BYTES


def _key(number: int) -> bytes:
    return PREFIX + number.to_bytes(_NUMBER_BYTES, "big")


def _records(store: Store) -> Iterator[tuple[bytes, bytes]]:
    cursor = store.cursor(META)
    more = cursor.set_range(PREFIX)
    while more and is_key(cursor.key()):
        yield cursor.key(), cursor.value()
        more = cursor.next()
