"""Cold: the graph, minimal. Nodes by id, directed edges by (from, to, relation) with the facts that speak for them."""

from __future__ import annotations

from gmhooks.store.later import present
from gmhooks.store.layout import EDGES, NODES, decode_text, encode_text, scoped_key, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.store.env import Store

UNKNOWN = "unknown"
RECEIPTS = 10
_ID = 16


class Node:
    """One thing facts speak about. `id` is its lower-case name; times are microseconds since 1970."""

    __slots__ = ("entity_type", "first_seen_us", "id", "last_seen_us")

    def __init__(self, node_id: str, entity_type: str, first_seen_us: int, last_seen_us: int) -> None:
        self.id = node_id
        self.entity_type = entity_type
        self.first_seen_us = first_seen_us
        self.last_seen_us = last_seen_us


class Edge:
    """One directed relation between two nodes; `receipts` are ids of facts, oldest first, at most 10."""

    __slots__ = ("created_us", "receipts", "relation", "source", "target")

    def __init__(self, source: str, target: str, relation: str, created_us: int, receipts: list[bytes]) -> None:
        self.source = source
        self.target = target
        self.relation = relation
        self.created_us = created_us
        self.receipts = receipts


def canonical(label: str) -> str:
    """The id of the node that a label names: trimmed, lower case. ValueError when nothing is left."""
    node_id = " ".join(label.split()).lower()
    if not node_id:
        raise ValueError("a node needs a name")
    return node_id


def touch_node(store: Store, label: str, now_us: int, entity_type: str = UNKNOWN) -> Node:
    """The node of that name, made if it is new; a known type is never replaced by `unknown` (write)."""
    node_id = canonical(label)
    node = find_node(store, node_id)
    if node is None:
        node = Node(node_id, entity_type, now_us, now_us)
    node.last_seen_us = max(node.last_seen_us, now_us)
    if entity_type != UNKNOWN:
        node.entity_type = entity_type
    name = encode_text(node_id)
    times = node.first_seen_us.to_bytes(8, "little") + node.last_seen_us.to_bytes(8, "little")
    key = _node_key(store, node_id)
    store.put(NODES, key, seal(key, times + len(name).to_bytes(4, "little") + name + node.entity_type.encode()))
    return node


def link(store: Store, source: str, target: str, relation: str, now_us: int, receipts: list[bytes]) -> Edge:
    """The edge between two nodes, both made if they are new; linking again only adds receipts (write)."""
    ends = touch_node(store, source, now_us).id, touch_node(store, target, now_us).id
    edge = find_edge(store, *ends, relation) or Edge(*ends, relation, now_us, [])
    edge.receipts = list(dict.fromkeys(edge.receipts + receipts))[:RECEIPTS]
    count = len(edge.receipts).to_bytes(4, "little")
    body = edge.created_us.to_bytes(8, "little") + count + b"".join(edge.receipts) + relation.encode()
    key = _edge_key(store, *ends, relation)
    store.put(EDGES, key, seal(key, body))
    return edge


def find_node(store: Store, node_id: str) -> Node | None:
    """The node of that id, or None when it is absent or damaged."""
    key = _node_key(store, node_id)
    body = unseal(key, store.get(NODES, key)) if present(store, NODES) else None
    return None if body is None else _node(body)


def find_edge(store: Store, source: str, target: str, relation: str) -> Edge | None:
    """The edge between two node ids, or None."""
    key = _edge_key(store, source, target, relation)
    body = unseal(key, store.get(EDGES, key)) if present(store, EDGES) else None
    if body is None:
        return None
    return Edge(source, target, relation, int.from_bytes(body[:8], "little"), _receipts(body))


def erase_naming(store: Store, erased: Callable[[str], bool], facts: set[bytes]) -> None:
    """Delete nodes whose id is `erased`, with their edges, and what erased facts speak for: their ids among receipts, edges
    that only they spoke for (write)."""
    gone = _erase_nodes(store, erased)
    if not present(store, EDGES):
        return
    cursor = store.cursor(EDGES)
    more = cursor.first()
    while more:
        key = cursor.key()
        body = unseal(key, cursor.value())
        names_gone = key[:_ID] in gone or key[_ID : 2 * _ID] in gone
        if body is None or not (names_gone or facts & set(_receipts(body))):
            more = cursor.next()
            continue
        left = [fact for fact in _receipts(body) if fact not in facts]
        if names_gone or not left:
            more = cursor.delete()
        else:
            relation = body[12 + _ID * len(_receipts(body)) :]
            store.put(EDGES, key, seal(key, body[:8] + len(left).to_bytes(4, "little") + b"".join(left) + relation))
            more = cursor.set_range(key) and cursor.next()


def _erase_nodes(store: Store, erased: Callable[[str], bool]) -> set[bytes]:
    """Keys of the nodes that were deleted: those whose id is `erased`."""
    gone: set[bytes] = set()
    if not present(store, NODES):
        return gone
    cursor = store.cursor(NODES)
    more = cursor.first()
    while more:
        key = cursor.key()
        body = unseal(key, cursor.value())
        if body is not None and erased(_node(body).id):
            gone.add(key)
            more = cursor.delete()
        else:
            more = cursor.next()
    return gone


def _node(body: bytes) -> Node:
    number = int.from_bytes
    end = 20 + number(body[16:20], "little")
    return Node(decode_text(body[20:end]), body[end:].decode(), number(body[:8], "little"), number(body[8:16], "little"))


def _receipts(body: bytes) -> list[bytes]:
    return [body[at : at + _ID] for at in range(12, 12 + int.from_bytes(body[8:12], "little") * _ID, _ID)]


def _node_key(store: Store, node_id: str) -> bytes:
    data = encode_text(node_id)
    secret = store.identity.secret
    return scoped_key(secret, 0, data) + scoped_key(secret ^ 1, 0, data)


def _edge_key(store: Store, source: str, target: str, relation: str) -> bytes:
    ends = _node_key(store, source) + _node_key(store, target)
    return ends + scoped_key(store.identity.secret, 0, encode_text(relation))
