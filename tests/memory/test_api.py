"""The library as a program uses it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import gmhooks
from gmhooks.hooks.admit import Refused
from gmhooks.memory.api import Memory
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.store.errors import StoreDenied, StoreFull, StoreMissing, StoreReadOnly, StoreUntrusted
from gmhooks.store.touches import JOURNAL
from gmhooks.store.writer import run


def _texts(memory: Memory, agent_id: str | None = None) -> list[str]:
    return [fact.text for fact in memory.list(agent_id)]


def test_library_name_resolves_to_the_same_class() -> None:
    assert gmhooks.Memory is Memory


def test_saved_fact_is_found_with_its_whole_record(memory: Memory) -> None:
    saved = memory.remember("app", "The queue is called jobs", confidence="verified", source="mcp")
    assert (saved.outcome, saved.notes) == ("stored", ())
    (fact,) = memory.recall("app", "queue").facts
    assert (fact.id, fact.short_id, fact.agent_id) == (saved.id, saved.short_id, "app")
    assert (fact.source, fact.confidence, fact.pinned, fact.live) == ("mcp", "verified", False, True)


def test_one_object_may_be_used_again_and_after_close(memory: Memory) -> None:
    memory.remember("app", "One")
    memory.close()
    memory.remember("app", "Two")
    assert _texts(memory, "app") == ["Two", "One"]


@pytest.mark.parametrize("confidence", ["", " verified", "VERIFIED", "unknown"])
def test_unknown_confidence_is_rejected_before_anything_is_stored(memory: Memory, confidence: str) -> None:
    with pytest.raises(ValueError, match="unknown confidence"):
        memory.remember("app", "text", confidence=confidence)
    with pytest.raises(ValueError, match="unknown confidence"):
        memory.recall("app", "text", min_confidence=confidence)
    assert _texts(memory) == []


@pytest.mark.parametrize("weight", [-0.1, 0.5001, float("nan"), float("inf"), True])
def test_weight_outside_the_range_is_rejected(memory: Memory, weight: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 0\.5"):
        memory.recall("app", "text", confidence_weight=weight)


def test_unknown_source_and_blank_agent_are_rejected(memory: Memory) -> None:
    with pytest.raises(ValueError, match="unknown source"):
        memory.remember("app", "text", source="nobody")
    for call in (memory.remember, memory.recall):
        with pytest.raises(ValueError, match="blank"):
            call(" \n", "text")


def test_refused_text_leaves_nothing_behind(memory: Memory) -> None:
    with pytest.raises(Refused) as caught:
        memory.remember("app", "<private>only</private>")
    assert caught.value.code == "private_only"
    assert _texts(memory) == []


@pytest.mark.parametrize(("top_k", "count"), [(0, 8), (-3, 8), (3, 3), (10**30, 12)])
def test_number_of_facts_follows_the_published_rules(memory: Memory, top_k: int, count: int) -> None:
    for number in range(12):
        memory.remember("app", f"Note number {number}")
    assert len(memory.recall("app", "note", top_k).facts) == count


def test_identical_questions_get_identical_answers(memory: Memory) -> None:
    for number in range(12):
        memory.remember("app", f"Note number {number}")
    answers = {memory.recall("app", "note number").facts for _ in range(20)}
    assert len(answers) == 1


def test_retrieval_metadata_only_when_options_were_used(memory: Memory) -> None:
    assert memory.recall("app", "x").retrieval is None
    assert memory.recall("app", "x", confidence_weight=0.0).retrieval == {
        "confidence_weight": 0.0,
        "policy": "confidence-v1",
        "kg": "hints_without_confidence_receipts",
    }
    assert memory.recall("app", "x", min_confidence="unverified").retrieval == {
        "min_confidence": "unverified",
        "confidence_weight": 0.0,
        "policy": "confidence-v1",
        "kg": "suppressed_min_confidence",
    }


def test_shared_fact_ranked_first_is_in_the_combined_answer(memory: Memory) -> None:
    for number in range(8):
        memory.remember("app", f"Deploy step {number}")
    memory.remember("app", "Deploy on Fridays", shared=True)
    found = memory.recall_all("app", "deploy fridays")
    assert (found.scope, len(found.facts)) == ("all", 8)
    assert [fact.agent_id for fact in found.facts if fact.text == "Deploy on Fridays"] == ["__shared__"]


def test_text_in_both_scopes_comes_once_from_the_agent_and_only_that_copy_counts_as_shown(memory: Memory) -> None:
    memory.remember("app", "Deploy on Fridays")
    memory.remember("app", "Deploy on Fridays", shared=True)
    (fact,) = memory.recall_all("app", "deploy").facts
    assert fact.agent_id == "app"
    (line,) = Path(memory.data_dir, JOURNAL).read_text().splitlines()
    assert line.split()[1:] == ["1:0"]


def test_unwritable_journal_costs_no_answer(memory: Memory) -> None:
    memory.remember("app", "Deploy on Fridays")
    journal = Path(memory.data_dir, JOURNAL)
    journal.unlink()
    journal.mkdir()
    assert len(memory.recall("app", "deploy").facts) == 1


def test_forget_retires_every_copy_of_the_text(memory: Memory) -> None:
    memory.remember("app", "Use port 1")

    def copy(store: object) -> None:
        from gmhooks.store.facts import add
        from gmhooks.store.namespaces import ensure

        add(store, ensure(store, "app"), "Use port 1", 0, 0)  # type: ignore[arg-type]

    run(memory.data_dir, copy)
    assert len(memory.forget("use port 1", ["app"])) == 2
    assert _texts(memory) == []
    assert [fact.superseded_by for fact in memory.list("app", retired=True)] == ["agent", "agent"]


def test_forget_tells_what_comes_near_and_changes_nothing(memory: Memory) -> None:
    memory.remember("app", "Use port 5432")
    with pytest.raises(NotFound, match=r"these contain it: .* Use port 5432"):
        memory.forget("port", ["app"])
    with pytest.raises(NotFound, match="no fact has that id or text"):
        memory.forget("nothing like it", ["app", "nobody"])
    assert _texts(memory) == ["Use port 5432"]


def test_id_counts_anywhere_only_when_asked(memory: Memory) -> None:
    saved = memory.remember("other", "Elsewhere")
    with pytest.raises(NotFound):
        memory.forget(saved.id, ["app"])
    assert [fact.id for fact in memory.forget(f"[{saved.short_id}]", ["app"], ids_anywhere=True)] == [saved.id]


def test_id_end_that_fits_two_facts_is_ambiguous(memory: Memory) -> None:
    def twins(store: object) -> None:
        from gmhooks.store.facts import add
        from gmhooks.store.namespaces import ensure

        for first in (1, 2):
            add(store, ensure(store, "app"), f"Twin {first}", 0, 0, fact_id=bytes([first]) + b"\7" * 15)  # type: ignore[arg-type]

    run(memory.data_dir, twins)
    shorts = [fact.short_id for fact in memory.list("app")]
    assert len(set(shorts)) == 2
    with pytest.raises(Ambiguous, match="2 facts"):
        memory.pin(shorts[0][-6:], ["app"])


def test_unprepared_project_is_missing_and_stays_untouched(tmp_path: Path) -> None:
    memory = Memory(tmp_path / ".graymatter", tmp_path / "user")
    for call in (lambda: memory.list(), lambda: memory.remember("app", "x"), lambda: memory.overview()):
        with pytest.raises(StoreMissing):
            call()
    assert os.listdir(tmp_path) == []


def test_store_that_moved_is_not_used_at_all(memory: Memory, tmp_path: Path) -> None:
    memory.remember("app", "Original")
    shutil.copytree(memory.data_dir, tmp_path / "copy")
    copy = Memory(tmp_path / "copy", memory.user_dir)
    before = (tmp_path / "copy" / "gray.mdb").read_bytes()
    for call in (lambda: copy.list(), lambda: copy.remember("app", "x"), lambda: copy.forget("Original", ["app"])):
        with pytest.raises(StoreUntrusted):
            call()
    assert (tmp_path / "copy" / "gray.mdb").read_bytes() == before


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (28, StoreFull, "not saved"),
        (122, StoreFull, "not saved"),
        (13, StoreDenied, "not saved"),
        (30, StoreReadOnly, "nothing can be saved"),
    ],
)
def test_save_that_reached_nothing_says_why(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception], words: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("gmhooks.memory.api.save_guarded", fails)
    with pytest.raises(kind, match=words):
        memory.remember("app", "text")


def test_overview_counts_each_namespace(memory: Memory) -> None:
    memory.remember("app", "Pinned")
    memory.remember("app", "Retired")
    memory.remember("app", "Shared", shared=True)
    memory.pin("Pinned", ["app"])
    memory.forget("Retired", ["app"])
    overview = memory.overview()
    assert overview is not None
    counts = [
        (each.agent_id, each.live, each.retired, each.pinned, each.written_7_days) for each in overview.namespaces
    ]
    assert counts == [("app", 1, 1, 1, 2), ("__shared__", 1, 0, 0, 1)]
    assert (overview.pending, len(overview.store_id)) == (0, 32)
