"""Options of a recall that change the order."""

from __future__ import annotations

from gmhooks.memory.api import Memory
from gmhooks.memory.options import RecallOptions

NEAR = RecallOptions(2, neighbours=True)


def _talk(memory: Memory) -> None:
    memory.remember("app", "Which editor does Ana use?")
    memory.remember("app", "Helix, since last spring")
    for at in range(3):
        memory.remember("other", f"Nothing to do with it, {at}")


def test_neighbours_bring_the_answer_that_shares_no_word_with_the_question(memory: Memory) -> None:
    _talk(memory)
    memory.remember("app", "Lunch is at noon")
    memory.remember("app", "The tests need a VPN")
    plain, near = (memory.recall("app", "editor", options=each).facts for each in (RecallOptions(2), NEAR))
    assert [fact.text for fact in plain] == ["Which editor does Ana use?", "The tests need a VPN"]
    assert [fact.text for fact in near] == ["Which editor does Ana use?", "Helix, since last spring"]
    assert memory.recall_all("app", "editor", options=NEAR).facts == near
    assert memory.recall_batch("app", ["editor"], NEAR).merged == near


def test_receipts_of_a_smoothed_recall_reproduce_keyword_score_and_final_score(memory: Memory) -> None:
    _talk(memory)
    for receipt in memory.recall_explain("app", "editor", options=NEAR).receipts:
        made, ranks = receipt["smoothed"], receipt["ranks"]
        assert isinstance(made, dict)
        assert isinstance(ranks, dict)
        assert made["keyword_score"] == made["own"] + made["part"] * (made["before"] + made["after"])
        assert ranks["fused_score"] == 1.0 / (60 + ranks["keyword_rank"]) + 0.5 / (60 + ranks["recency_rank"])
    assert "smoothed" not in memory.recall_explain("app", "editor").receipts[0]
