"""Aliases add vocabulary to a query and nothing to the results."""

from __future__ import annotations

from gmhooks.store import aliases, facts
from gmhooks.store.env import Store, open_read
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import CLI
from gmhooks.store.writer import run
from gmhooks.text.tokens import terms


def expanded(folder: str, query: str) -> list[str]:
    store = open_read(folder)
    try:
        ns = find(store, "app")
        assert ns
        return aliases.expand(store, ns, terms(query))
    finally:
        store.close()


def test_one_word_sides_work_both_ways_and_phrases_one_way(folder: str) -> None:
    def work(store: Store) -> None:
        ns = ensure(store, "app")
        facts.add(store, ns, "plain fact", 1, CLI)
        aliases.add(store, ns, "alias: k8s = kubernetes, container platform", 2, CLI)

    run(folder, work)
    assert {*terms("kubernetes"), *terms("container platform")} <= set(expanded(folder, "k8s"))
    assert terms("k8s")[0] in expanded(folder, "kubernetes")
    assert expanded(folder, "platform") == terms("platform")


def test_a_retired_alias_expands_no_more_and_never_counts_as_a_fact(folder: str) -> None:
    def work(store: Store) -> None:
        ns = ensure(store, "app")
        first = aliases.add(store, ns, "alias: db = postgres", 1, CLI)
        aliases.add(store, ns, "alias: db = database", 2, CLI)
        assert ns.live == 0
        assert list(facts.newest(store, ns)) == []
        facts.retire(store, ns, first)
        aliases.rebuild(store, ns)

    run(folder, work)
    assert expanded(folder, "db") == [*terms("db"), *terms("database")]


def test_malformed_aliases_name_no_pair() -> None:
    for text in ("alias: x", "alias: = y", "alias: x =", "alias: x = x", "nothing"):
        assert aliases.pairs(text) == []
