"""Hot: the bytes on disk. Names of the sub-databases, key shapes and the envelope of every record.

docs/store-format.md describes the same in words; changing anything here changes `SCHEMA`.
"""

from __future__ import annotations

from _imp import source_hash

SCHEMA = 1

META = b"meta"
NAMESPACES = b"namespaces"
FACTS = b"facts"
IDS = b"ids"
TEXTS = b"texts"
POSTINGS = b"postings"
MARKS = b"marks"
DAYS = b"days"
ALIASES = b"aliases"
CHECKPOINTS = b"checkpoints"
TOUCHES = b"touches"
NODES = b"nodes"
EDGES = b"edges"
AUDIT = b"audit"
BITMAPS = b"bitmaps"
SPELLINGS = b"spellings"

DATABASES = {
    META: {},
    NAMESPACES: {},
    FACTS: {},
    IDS: {},
    TEXTS: {"dupsort": True, "dupfixed": True},
    POSTINGS: {"dupsort": True, "dupfixed": True, "integerdup": True},
    MARKS: {},
    DAYS: {},
    ALIASES: {"dupsort": True},
    CHECKPOINTS: {},
    TOUCHES: {},
    NODES: {},
    EDGES: {},
    AUDIT: {},
    BITMAPS: {},
    SPELLINGS: {},
}
# Stores made before these existed get them at the first write that needs one.
LATER = (NODES, EDGES, AUDIT, BITMAPS, SPELLINGS)

RECORD_VERSION = 1
HEADER = 16
_CHECKSUM_KEY = 0x676D_686F_6F6B_7331

# One posting is a 64-bit integer whose ascending order is descending impact, then tf, length, fact number.
DOC_BITS = 28
DOC_MASK = (1 << DOC_BITS) - 1
LENGTH_SHIFT = DOC_BITS
LENGTH_MASK = (1 << 13) - 1
TF_SHIFT = LENGTH_SHIFT + 13
TF_MASK = (1 << 12) - 1
IMPACT_SHIFT = TF_SHIFT + 12
IMPACT_TOP = 2047
LENGTH_FLOOR = 24


def seal(key: bytes, body: bytes) -> bytes:
    """Wrap `body` for storage under `key`: version, length, 8-byte checksum over key and body."""
    size = len(body)
    return b"%c\0\0\0%b%b%b" % (RECORD_VERSION, size.to_bytes(4, "little"), source_hash(_CHECKSUM_KEY, key + body), body)


def unseal(key: bytes, raw: bytes | None) -> bytes | None:
    """The body of a sealed record, or None when it is absent, damaged or not the record of this key."""
    if raw is None or len(raw) < HEADER or raw[0] != RECORD_VERSION:
        return None
    body = raw[HEADER:]
    if int.from_bytes(raw[4:8], "little") != len(body) or raw[8:16] != source_hash(_CHECKSUM_KEY, key + body):
        return None
    return body


def fact_key(number: int, doc: int) -> bytes:
    """Key of one fact, of its touches: namespace number and fact number, in write order."""
    return (number << 32 | doc).to_bytes(8, "big")


def scoped_key(secret: int, number: int, data: bytes) -> bytes:
    """8-byte keyed hash of `data` inside one namespace (terms, texts, alias terms)."""
    return source_hash(secret, number.to_bytes(4, "big") + data)


def encode_text(text: str) -> bytes:
    """UTF-8 that also carries the lone surrogates an agent id or path may hold."""
    return text.encode("utf-8", "surrogatepass")


def encode_path(path: str) -> bytes:
    """The bytes that name a file, for LMDB: a name that is no UTF-8 is a name, too."""
    return path.encode("utf-8", "surrogateescape")


def decode_text(data: bytes) -> str:
    """Inverse of `encode_text`."""
    return data.decode("utf-8", "surrogatepass")
