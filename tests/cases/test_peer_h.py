"""Peer cases, area H: the graph, as far as it exists: names, and links that are drawn on purpose."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gmhooks.memory.api import Memory
from gmhooks.store.env import Store
from gmhooks.store.layout import EDGES, NODES
from gmhooks.store.nodes import UNKNOWN, canonical, find_edge, find_node, link, touch_node
from gmhooks.store.writer import run


def _do(memory: Memory, work: Callable[[Store], object]) -> object:
    return run(memory.data_dir, work)


def test_h07_h22_a_node_is_named_by_its_trimmed_lower_case_label_and_needs_one() -> None:
    assert canonical("  ACME  Corp ") == "acme corp"
    with pytest.raises(ValueError, match="needs a name"):
        canonical("  ")


def test_h20_a_node_keeps_its_first_sighting(memory: Memory) -> None:
    def work(store: Store) -> tuple[int, int, str]:
        touch_node(store, "Acme", 5, "organization")
        touch_node(store, "acme", 9)
        node = find_node(store, "acme")
        assert node is not None
        return node.first_seen_us, node.last_seen_us, node.entity_type

    assert _do(memory, work) == (5, 9, "organization")


def test_h23_the_same_link_twice_is_one_edge(memory: Memory) -> None:
    def work(store: Store) -> tuple[int, int]:
        link(store, "Acme", "Bob", "agent_link", 5, [b"\1" * 16])
        link(store, "acme", "bob", "agent_link", 9, [b"\1" * 16, b"\2" * 16])
        edge = find_edge(store, "acme", "bob", "agent_link")
        assert edge is not None
        return store.txn.stat(store.db(EDGES))["entries"], len(edge.receipts)

    assert _do(memory, work) == (1, 2)


def test_h29_a_link_to_unknown_names_makes_placeholders(memory: Memory) -> None:
    def work(store: Store) -> tuple[int, list[str]]:
        link(store, "one", "two", "agent_link", 5, [])
        nodes = [find_node(store, name) for name in ("one", "two")]
        return store.txn.stat(store.db(NODES))["entries"], [node.entity_type for node in nodes if node]

    assert _do(memory, work) == (2, [UNKNOWN, UNKNOWN])
