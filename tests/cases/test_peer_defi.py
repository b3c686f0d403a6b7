"""Peer cases, areas D, E, F and I, as far as no model is involved: decay, confidence, corrections, checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.hooks.admit import Refused
from gmhooks.memory.api import Memory
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.memory.options import RecallOptions, WriteOptions
from tests.mcp.desk import AGENT, Desk

NOW = 1_780_000_000
HOUR = 3600


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_clock(seconds: int) -> None:
        monkeypatch.setenv("GRAYMATTER_CLOCK", f"@{seconds}")

    set_clock(NOW)
    return set_clock


def _texts(memory: Memory) -> list[str]:
    return sorted(fact.text for fact in memory.list("app"))


def _weights(memory: Memory) -> dict[str, float]:
    return {row["text"]: row.get("weight", 1.0) for row in map(json.loads, memory.export())}


def test_d01_one_half_life_halves(memory: Memory, at: Callable[[int], None]) -> None:
    memory.remember("app", "Old")
    at(NOW + 720 * HOUR)
    memory.consolidate()
    assert _weights(memory)["Old"] == pytest.approx(0.5, abs=0.01)


def test_d02_faded_facts_go_and_fresh_ones_stay(memory: Memory, at: Callable[[int], None]) -> None:
    memory.remember("app", "Old")
    at(NOW + 9999 * HOUR)
    memory.remember("app", "Fresh")
    memory.consolidate(half_life_hours=1)
    assert (_texts(memory), len(memory.export())) == (["Fresh"], 1)


@pytest.mark.parametrize("count", [pytest.param(10, id="D07"), pytest.param(20, id="D08")])
def test_without_a_model_facts_stay_as_they_are(memory: Memory, count: int) -> None:
    for number in range(count):
        memory.remember("app", f"Fact {number}")
    memory.consolidate()
    assert len(_texts(memory)) == count


def test_d10_a_pinned_fact_neither_fades_nor_goes(memory: Memory, at: Callable[[int], None]) -> None:
    memory.remember("app", "Pinned")
    memory.pin("Pinned", ["app"])
    at(NOW + 10_000 * HOUR)
    memory.consolidate()
    assert _weights(memory) == {"Pinned": 1.0}


@pytest.mark.parametrize(("days", "left"), [(198, 1), (200, 0)])
def test_d20_a_fact_nobody_recalls_lasts_199_days(
    memory: Memory, at: Callable[[int], None], days: int, left: int
) -> None:
    memory.remember("app", "Unused")
    at(NOW + days * 24 * HOUR)
    memory.consolidate()
    assert len(_texts(memory)) == left


@pytest.mark.parametrize("label", ["", " verified", "verified ", "VERIFIED", "unknown"])
def test_e01_a_label_is_exact_or_refused_before_anything_happens(memory: Memory, label: str) -> None:
    with pytest.raises(ValueError, match="unknown confidence"):
        memory.remember("app", "text", confidence=label)
    assert _texts(memory) == []


@pytest.mark.parametrize("weight", [-0.1, 0.5001, float("nan"), float("inf"), float("-inf")])
def test_e02_a_weight_is_within_its_range_or_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weight"):
        RecallOptions(confidence_weight=weight)


@pytest.mark.parametrize(
    ("labels", "explicit", "expected"),
    [
        (["verified"], None, "inferred"),
        ([None], None, "inferred"),
        (["unverified"], None, "unverified"),
        (["verified", "unverified"], None, "unverified"),
        (["unverified"], "verified", "verified"),
    ],
)
def test_e04_a_revision_is_as_certain_as_its_weakest_source(
    memory: Memory, labels: list[str | None], explicit: str | None, expected: str
) -> None:
    lines = []
    for number, label in enumerate(labels):
        row = {"agent_id": "app", "id": str(number) * 26, "text": "Old", "created_at": "2026-01-01T00:00:00Z"}
        lines.append(json.dumps(row | ({"confidence": label} if label else {})).encode())
    memory.import_lines(lines)
    done = memory.revise("Old", "New", ["app"], options=WriteOptions(explicit))
    assert (done.fact.confidence, len(done.replaced)) == (expected, len(labels))


@pytest.mark.parametrize("least", ["VERIFIED", "", "all"])
def test_e08_a_minimum_is_exact_or_refused(memory: Memory, least: str) -> None:
    with pytest.raises(ValueError, match="unknown confidence"):
        memory.recall("app", "x", min_confidence=least)


def test_e10_weight_zero_keeps_the_filter_and_the_base_order(memory: Memory) -> None:
    memory.remember("app", "zebra crossing", confidence="unverified")
    memory.remember("app", "zebra farm", confidence="inferred")
    memory.remember("app", "zebra crossing at noon", confidence="verified")
    found = memory.recall("app", "zebra crossing", min_confidence="inferred", confidence_weight=0.0)
    plain = [fact.text for fact in memory.recall("app", "zebra crossing").facts if fact.confidence != "unverified"]
    assert [fact.text for fact in found.facts] == plain


def test_e11_the_lowest_minimum_admits_everything_and_says_so(memory: Memory) -> None:
    for label in (None, "unverified", "inferred", "verified"):
        memory.remember("app", f"zebra {label}", confidence=label)
    found = memory.recall("app", "zebra", min_confidence="unverified")
    assert (len(found.facts), found.retrieval) == (
        4,
        {
            "min_confidence": "unverified",
            "confidence_weight": 0.0,
            "policy": "confidence-v1",
            "kg": "suppressed_min_confidence",
        },
    )


def test_f04_f05_f07_after_a_revision_only_the_new_text_is_live(memory: Memory) -> None:
    old = memory.remember("app", "Port is 1")
    new = memory.revise("Port is 1", "Port is 2", ["app"]).fact
    assert [fact.text for fact in memory.recall("app", "port").facts] == ["Port is 2"]
    assert {fact.id: fact.superseded_by for fact in memory.list("app", retired=True)} == {old.id: new.id, new.id: None}


def test_f01_f08_a_forgotten_fact_is_kept_as_retired_by_the_agent(memory: Memory) -> None:
    memory.remember("app", "Gone")
    memory.forget("Gone", ["app"])
    assert memory.recall("app", "gone").facts == ()
    assert [fact.superseded_by for fact in memory.list("app", retired=True)] == ["agent"]


def test_f11_a_part_of_a_text_never_retires_anything(memory: Memory) -> None:
    memory.remember("app", "Port is 1")
    memory.remember("app", "Port is 2")
    with pytest.raises(NotFound, match="Port is 1"):
        memory.forget("Port", ["app"])
    assert len(_texts(memory)) == 2


def test_f11_an_ending_that_fits_two_ids_lists_both(memory: Memory) -> None:
    row = {"agent_id": "app", "created_at": "2026-01-01T00:00:00Z"}
    lines = [json.dumps(row | {"id": f"{n}{'7' * 25}", "text": f"Twin {n}"}).encode() for n in (1, 2)]
    memory.import_lines(lines)
    with pytest.raises(Ambiguous, match=r"Twin 1.*Twin 2|Twin 2.*Twin 1"):
        memory.forget("777777", ["app"])
    assert len(_texts(memory)) == 2


def test_f13_what_is_retired_cannot_be_revised(memory: Memory) -> None:
    memory.remember("app", "Gone")
    memory.forget("Gone", ["app"])
    with pytest.raises(NotFound, match="already retired"):
        memory.revise("Gone", "New", ["app"])


@pytest.mark.parametrize("blank", ["", " \n"])
def test_f14_a_blank_replacement_changes_nothing(memory: Memory, blank: str) -> None:
    memory.remember("app", "Stays")
    with pytest.raises(Refused):
        memory.revise("Stays", blank, ["app"])
    assert _texts(memory) == ["Stays"]


def test_i05_i16_every_checkpoint_keeps_its_own_id(memory: Memory) -> None:
    made = [memory.save_checkpoint("app", {"step": number}) for number in range(3)]
    listed = memory.checkpoints("app")
    assert [point.id for point in listed] == [point.id for point in reversed(made)]
    assert [point.body["state"] for point in listed] == [{"step": 2}, {"step": 1}, {"step": 0}]


def test_only_the_newest_fifty_checkpoints_stay(memory: Memory) -> None:
    for number in range(53):
        memory.save_checkpoint("app", {"step": number})
    assert [point.body["state"] for point in memory.checkpoints("app")][-1] == {"step": 3}


@pytest.mark.parametrize("action", ["forget", "link", "pin", "unpin"])
def test_e07_a_label_goes_only_with_writing(tmp_path: Path, action: str) -> None:
    desk = Desk(tmp_path)
    desk.ok("memory_add", text="zebra")
    said = desk.error("memory_reflect", action=action, target="zebra", text="zebra", confidence="verified")
    assert "not supported" in said
    assert [(fact.live, fact.pinned) for fact in desk.facts()] == [(True, False)]


def test_f02_forget_takes_its_fact_by_target(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.ok("memory_add", text="zebra")
    desk.ok("memory_reflect", action="forget", target="zebra")
    assert desk.ok("memory_search", agent_id=AGENT, query="zebra")["count"] == 0


def test_f10_an_update_that_fails_leaves_the_old_fact_live(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("app", "zebra")

    def fail(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("gmhooks.memory.correcting.add_fact", fail)
    with pytest.raises(OSError, match="no room"):
        memory.revise("zebra", "lion", ["app"])
    assert _texts(memory) == ["zebra"]
