"""The graph keeps nodes and edges by name, each once, also in stores that were made before there was a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.store.audit import KEPT, newest, record
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.layout import LATER
from gmhooks.store.nodes import RECEIPTS, canonical, find_edge, find_node, link, touch_node
from gmhooks.store.writer import run


@pytest.fixture
def folder(tmp_path: Path) -> str:
    prepare(str(tmp_path / "data"), str(tmp_path / "user"))
    return str(tmp_path / "data")


def test_a_link_makes_both_nodes_and_one_edge_however_often_it_is_made(folder: str) -> None:
    for now in (5, 9):
        run(folder, lambda store, now=now: link(store, " Auth  Service ", "PostgreSQL", "agent_link", now, [b"a" * 16]))

    store = open_read(folder)
    edge = find_edge(store, "auth service", "postgresql", "agent_link")
    node = find_node(store, "auth service")
    other = find_edge(store, "postgresql", "auth service", "agent_link")
    store.close()
    assert edge is not None
    assert node is not None
    assert (edge.created_us, edge.receipts) == (5, [b"a" * 16])
    assert (node.entity_type, node.first_seen_us, node.last_seen_us) == ("unknown", 5, 9)
    assert other is None


def test_an_edge_keeps_its_first_ten_receipts(folder: str) -> None:
    ids = [bytes([n]) * 16 for n in range(1, 14)]
    edge = run(folder, lambda store: link(store, "a", "b", "r", 1, ids))

    assert edge.receipts == ids[:RECEIPTS]


def test_a_known_type_is_not_replaced_by_unknown(folder: str) -> None:
    def work(store: Store) -> str:
        touch_node(store, "Ada Lovelace", 1, "person")
        return touch_node(store, "ADA LOVELACE", 2).entity_type

    assert run(folder, work) == "person"


def test_a_name_of_blanks_is_no_node() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        canonical(" \t ")


def test_an_older_store_reads_as_empty_and_gets_the_graph_at_the_first_write(folder: str) -> None:
    def drop(store: Store) -> None:
        for name in LATER:
            store.txn.drop(store.db(name))

    run(folder, drop)
    store = open_read(folder)
    assert (find_node(store, "a"), find_edge(store, "a", "b", "r"), newest(store, 5)) == (None, None, [])
    store.close()

    run(folder, lambda store: link(store, "a", "b", "r", 1, []))
    store = open_read(folder)
    assert find_edge(store, "a", "b", "r") is not None
    store.close()


def test_the_audit_trail_keeps_the_newest_entries_in_order(folder: str) -> None:
    def work(store: Store) -> list[tuple[int, bytes]]:
        for number in range(KEPT + 5):
            record(store, b"%d" % number, number)
        return newest(store, KEPT + 5)

    found = run(folder, work)
    assert found[0] == (KEPT + 4, b"%d" % (KEPT + 4))
    assert found[-1] == (5, b"5")
    assert len(found) == KEPT
