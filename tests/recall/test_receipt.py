from __future__ import annotations

from gmhooks.recall.engine import recall
from gmhooks.recall.receipt import explain, written_at
from gmhooks.store.env import open_read
from gmhooks.store.facts import add, pin, retire
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import CLI
from gmhooks.store.writer import run
from tests.recall.judge import DAY_US
from tests.recall.worlds import NOW_US


def test_a_receipt_reproduces_the_score_and_names_what_was_replaced(folder: str) -> None:
    ids: list[bytes] = []

    def write(store) -> None:
        ns = ensure(store, "a")
        facts = [
            add(store, ns, f"redis version {n}", NOW_US - (4 - n) * DAY_US, CLI, 3 if n == 2 else 0, as_dated=True)
            for n in range(3)
        ]
        retire(store, ns, facts[0], facts[1].id)
        retire(store, ns, facts[1], facts[2].id)
        pin(store, facts[2], NOW_US)
        ids.extend(fact.id for fact in facts)

    run(folder, write, True)
    store = open_read(folder)
    try:
        ranked = recall(store, find(store, "a"), ["redi"], NOW_US, confidence_weight=0.25)
        got = explain(store, ranked)
    finally:
        store.close()
    score = 1.0 / 61 + 0.5 / 61
    assert got == [
        {
            "text": "redis version 2",
            "weight": 1.0,
            "age_days": 2.0,
            "ranks": {"vector_rank": 0, "keyword_rank": 1, "recency_rank": 1, "fused_score": score, "k": 60},
            "provenance": {
                "fact_id": encode(ids[2]),
                "written_at": written_at(NOW_US - 2 * DAY_US),
                "confidence": "verified",
                "pinned": True,
                "supersedes": [encode(ids[1]), encode(ids[0])],
            },
            "ranking": {
                "base_score": score,
                "final_score": score * 1.25,
                "factor": 1.25,
                "effective_confidence": "verified",
                "confidence_weight": 0.25,
                "policy": "confidence-v1",
            },
        }
    ]


def test_times_carry_the_decimals_they_have() -> None:
    assert [written_at(1_700_000_000_000_000 + us) for us in (0, 500_000, 7)] == [
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20.5Z",
        "2023-11-14T22:13:20.000007Z",
    ]
