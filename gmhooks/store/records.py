"""Hot: facts, namespaces and the store's identity as values, and their bytes."""

from __future__ import annotations

from gmhooks.store.layout import SCHEMA, decode_text, encode_text

USER, CLI, MCP, CONSOLIDATION, IMPORT = range(5)
SOURCES = ("user", "cli", "mcp", "consolidation", "import")
CONFIDENCES = ("", "unverified", "inferred", "verified")
CONFIDENT = 3  # verified

KIND_ALIAS = 1
LIVE = bytes(16)
RETIRED = b"\xff" * 16
_FACT_HEAD = 56


class Fact:
    """One remembered sentence. Times are microseconds since 1970 (0: never); `length` counts its terms."""

    __slots__ = (
        "confidence", "created_us", "doc", "id", "kind", "length", "ns", "pinned_us", "source", "superseded_by", "text",
    )  # fmt: skip

    def __init__(
        self, ns: int, doc: int, fact_id: bytes, text: str, created_us: int,
        source: int, confidence: int = 0, pinned_us: int = 0, superseded_by: bytes = LIVE, length: int = 0, kind: int = 0,
    ) -> None:  # fmt: skip
        self.ns = ns
        self.doc = doc
        self.id = fact_id
        self.text = text
        self.created_us = created_us
        self.source = source
        self.confidence = confidence
        self.pinned_us = pinned_us
        self.superseded_by = superseded_by
        self.length = length
        self.kind = kind

    @property
    def live(self) -> bool:
        """Neither superseded nor retired."""
        return self.superseded_by == LIVE

    @property
    def pinned(self) -> bool:
        """Exempt from decay, prune and summaries; first at session start."""
        return self.pinned_us > 0


def pack_fact(fact: Fact) -> bytes:
    """Body of a fact record: 56 fixed bytes, then the text."""
    return (
        fact.id
        + fact.created_us.to_bytes(8, "little")
        + fact.pinned_us.to_bytes(8, "little")
        + fact.superseded_by
        + fact.length.to_bytes(4, "little")
        + bytes((fact.kind, fact.confidence, fact.source, 0))
        + fact.text.encode()
    )


def unpack_fact(ns: int, doc: int, body: bytes) -> Fact:
    """Inverse of `pack_fact`."""
    number = int.from_bytes
    return Fact(
        ns, doc, body[:16], body[_FACT_HEAD:].decode(), number(body[16:24], "little"),
        body[54], body[53], number(body[24:32], "little"), body[32:48], number(body[48:52], "little"), body[52],
    )  # fmt: skip


class Namespace:
    """The facts of one agent id. `ordered`: fact numbers ascend with (created_us, id). `erased`: numbers without a fact."""

    __slots__ = ("agent_id", "aliases", "erased", "last_created_us", "last_id", "live", "next_doc", "number", "ordered")

    def __init__(self, number: int, agent_id: str) -> None:
        self.number = number
        self.agent_id = agent_id
        self.next_doc = 0
        self.live = 0
        self.aliases = 0
        self.erased = 0
        self.ordered = True
        self.last_created_us = 0
        self.last_id = LIVE


def pack_namespace(ns: Namespace) -> bytes:
    """Body of a namespace record: 48 fixed bytes, then the agent id."""
    counts = (ns.number, ns.next_doc, ns.live, ns.aliases, ns.ordered, ns.erased)
    small = b"".join([n.to_bytes(4, "little") for n in counts])
    return small + ns.last_created_us.to_bytes(8, "little") + ns.last_id + encode_text(ns.agent_id)


def unpack_namespace(body: bytes) -> Namespace:
    """Inverse of `pack_namespace`."""
    numbers = memoryview(body[:32]).cast("I")
    ns = Namespace(numbers[0], decode_text(body[48:]))
    ns.next_doc = numbers[1]
    ns.live = numbers[2]
    ns.aliases = numbers[3]
    ns.ordered = numbers[4] == 1
    ns.erased = numbers[5]
    ns.last_created_us = int.from_bytes(body[24:32], "little")
    ns.last_id = body[32:48]
    return ns


class Identity:
    """Who wrote this store: its random id, the secret of its keyed hashes, versions, analyzer."""

    __slots__ = ("analyzer", "created_by", "min_reader", "min_writer", "schema", "secret", "store_id")

    def __init__(self, store_id: str, secret: int, analyzer: str, created_by: str) -> None:
        self.store_id = store_id
        self.secret = secret
        self.analyzer = analyzer
        self.created_by = created_by
        self.schema = self.min_reader = self.min_writer = SCHEMA


def pack_identity(identity: Identity) -> bytes:
    """Body of the identity record."""
    numbers = (identity.schema, identity.min_reader, identity.min_writer)
    return (
        b"".join([n.to_bytes(4, "little") for n in numbers])
        + identity.secret.to_bytes(8, "little")
        + bytes.fromhex(identity.store_id)
        + f"{identity.analyzer}\n{identity.created_by}".encode()
    )


def unpack_identity(body: bytes) -> Identity:
    """Inverse of `pack_identity`."""
    analyzer, _, created_by = body[36:].decode().partition("\n")
    identity = Identity(body[20:36].hex(), int.from_bytes(body[12:20], "little"), analyzer, created_by)
    identity.schema, identity.min_reader, identity.min_writer = [
        int.from_bytes(body[at : at + 4], "little") for at in (0, 4, 8)
    ]
    return identity
