"""Peer cases, area B: what a recall returns, in which order, and what it leaves behind."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.options import RecallOptions
from gmhooks.store.env import Store
from gmhooks.store.facts import add, find_equal, set_confidence
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import USER
from gmhooks.store.writer import run


def _texts(memory: Memory, query: str, top_k: int = 8) -> list[str]:
    return [fact.text for fact in memory.recall("app", query, top_k).facts]


def _rows(memory: Memory) -> list[dict[str, Any]]:
    return [json.loads(line) for line in memory.export()]


def _dated(memory: Memory, *facts: tuple[str, int, int]) -> None:
    """Store (text, created µs, confidence) exactly as dated, copies too."""

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        for number, (text, created_us, confidence) in enumerate(facts):
            add(store, ns, text, created_us, USER, confidence, bytes([number + 1]) * 16, as_dated=True)

    run(memory.data_dir, work)


def test_b01_at_most_k(memory: Memory) -> None:
    for number in range(20):
        memory.remember("app", f"zebra {'padding ' * number}")
    assert len(_texts(memory, "zebra", 5)) == 5


def test_b02_an_unknown_agent_has_nothing(memory: Memory) -> None:
    assert _texts(memory, "anything") == []


def test_b04_a_recall_is_counted(memory: Memory) -> None:
    memory.remember("app", "zebra crossing")
    assert "access_count" not in _rows(memory)[0]
    memory.recall("app", "zebra")
    (row,) = _rows(memory)
    assert row["access_count"] == 1
    assert datetime.fromisoformat(row["accessed_at"]) > datetime.fromisoformat(row["created_at"])


def test_b05_b11_one_text_comes_once_by_its_better_fact(memory: Memory) -> None:
    _dated(memory, ("zebra crossing", 5, 1), ("zebra crossing", 6, 3), ("zebra farm", 7, 0))
    found = memory.recall("app", "zebra crossing", 10, confidence_weight=0.5)
    assert [fact.text for fact in found.facts] == ["zebra crossing", "zebra farm"]
    assert found.facts[0].confidence == "verified"


@pytest.mark.parametrize(("top_k", "count"), [(0, 8), (-5, 8), (3, 3), (50, 12), (2**63, 12)])
def test_b07_sizes(memory: Memory, top_k: int, count: int) -> None:
    for number in range(12):
        memory.remember("app", f"zebra number {number}")
    assert len(_texts(memory, "zebra", top_k)) == count


@pytest.mark.parametrize("weight", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("least", [None, "unverified", "inferred", "verified"])
def test_b08_b28_scores_are_the_documented_arithmetic(memory: Memory, weight: float, least: str | None) -> None:
    _dated(memory, *((f"zebra {' '.join(f'w{n}{at}' for at in range(n + 2))}", n, n % 4) for n in range(6)))
    found = memory.recall_explain("app", "zebra", 50, min_confidence=least, confidence_weight=weight)
    finals = []
    for receipt in found.receipts:
        ranks, ranking = receipt["ranks"], receipt["ranking"]
        assert isinstance(ranks, dict)
        assert isinstance(ranking, dict)
        base = sum(
            share / (60 + ranks[name])
            for name, share in (("vector_rank", 1.0), ("keyword_rank", 1.0), ("recency_rank", 0.5))
            if ranks[name]
        )
        level = {"unverified": -1, "inferred": 0, "verified": 1}[ranking["effective_confidence"]]
        assert ranks["fused_score"] == pytest.approx(base, abs=1e-15)
        assert ranking["factor"] == 1 + weight * level
        assert ranking["final_score"] == ranks["fused_score"] * ranking["factor"]
        assert ranks["vector_rank"] == 0
        finals.append(ranking["final_score"])
    assert finals == sorted(finals, reverse=True)
    assert len(finals) == {None: 6, "unverified": 6, "inferred": 4, "verified": 1}[least]


def test_b10_no_option_no_metadata(memory: Memory) -> None:
    assert memory.recall("app", "x").retrieval is None


def test_b13_a_changed_label_counts_at_once(memory: Memory) -> None:
    memory.remember("app", "zebra crossing", confidence="unverified")
    assert memory.recall("app", "zebra", min_confidence="verified").facts == ()

    def promote(store: Store) -> None:
        fact = find_equal(store, ensure(store, "app"), "zebra crossing")
        assert fact is not None
        set_confidence(store, fact, 3)

    run(memory.data_dir, promote)
    assert len(memory.recall("app", "zebra", min_confidence="verified").facts) == 1


def test_b14_plain_and_explained_recall_agree(memory: Memory) -> None:
    for number in range(12):
        memory.remember("app", f"zebra {'crossing ' * (number % 3)}{number}")
    assert _texts(memory, "zebra crossing") == [
        fact.text for fact in memory.recall_explain("app", "zebra crossing").facts
    ]


def test_b19_an_empty_question_gives_the_newest_first(memory: Memory) -> None:
    for text in ("one", "two", "three"):
        memory.remember("app", text)
    assert _texts(memory, "") == ["three", "two", "one"]


def test_b20_only_retired_facts_are_nothing(memory: Memory) -> None:
    memory.remember("app", "zebra")
    memory.forget("zebra", ["app"])
    assert _texts(memory, "zebra") == _texts(memory, "") == []


def test_b22_the_same_question_gets_the_same_answer(memory: Memory) -> None:
    for number in range(30):
        memory.remember("app", f"zebra {number % 5}")
    first = memory.recall("app", "zebra 3")
    assert all(memory.recall("app", "zebra 3") == first for _ in range(49))
    assert Memory(memory.data_dir, memory.user_dir).recall("app", "zebra 3") == first


def test_b23_equal_scores_older_first_equal_times_smaller_id(memory: Memory) -> None:
    day = 86_400_000_000
    _dated(memory, ("zebra b", 2 * day, 0), ("zebra c", 2 * day, 0), ("zebra d", day, 0))
    assert _texts(memory, "zebra") == ["zebra d", "zebra b", "zebra c"]


def test_b29_confidence_shows_in_the_receipt_when_it_reorders(memory: Memory) -> None:
    _dated(memory, ("zebra by day", 1, 1), ("zebra food at the market", 2, 3))
    plain = memory.recall("app", "zebra day").facts[0].text
    weighed = memory.recall_explain("app", "zebra day", options=RecallOptions(confidence_weight=0.5))
    ranking = weighed.receipts[0]["ranking"]
    assert isinstance(ranking, dict)
    assert (plain, weighed.facts[0].text) == ("zebra by day", "zebra food at the market")
    assert ranking["final_score"] > ranking["base_score"]


def test_b40_b41_shared_facts_are_one_namespace(memory: Memory) -> None:
    memory.remember("app", "zebra shared", shared=True)
    assert [fact.text for fact in memory.list("__shared__")] == ["zebra shared"]
    memory.remember("app", "lion shared", shared=True)
    assert memory.recall_shared("lion").facts[0].text == "lion shared"


@pytest.mark.parametrize("shared", [False, True], ids=["B43", "B44"])
def test_one_empty_side_leaves_the_other(memory: Memory, shared: bool) -> None:
    memory.remember("app", "zebra", shared=shared)
    assert [fact.text for fact in memory.recall_all("app", "zebra").facts] == ["zebra"]


def test_b46_a_shared_best_beats_a_full_agent_list(memory: Memory) -> None:
    for number in range(8):
        memory.remember("app", f"zebra step {number}")
    memory.remember("app", "zebra crossing", shared=True)
    assert "zebra crossing" in [fact.text for fact in memory.recall_all("app", "zebra crossing", 8).facts]


def test_b47_only_the_agents_copy_of_a_double_is_counted(memory: Memory) -> None:
    memory.remember("app", "zebra")
    memory.remember("app", "zebra", shared=True)
    memory.recall_all("app", "zebra")
    assert [(row["agent_id"], row.get("access_count", 0)) for row in _rows(memory)] == [("app", 1), ("__shared__", 0)]
