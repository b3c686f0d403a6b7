"""Export and import, consolidation, renamed projects, checkpoints: whole or not at all, once however often."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gmhooks.memory import upkeep
from gmhooks.memory.api import Memory
from gmhooks.memory.errors import NotFound
from gmhooks.memory.options import WriteOptions
from gmhooks.memory.transfer import Malformed
from gmhooks.store.bitmaps import MADE, fold
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add
from gmhooks.store.meta import counter
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import USER
from gmhooks.store.spool import Spooled, put
from gmhooks.store.touches import JOURNAL
from gmhooks.store.writer import run

HOUR = 3600
NOW = 1_780_000_000


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_clock(seconds: int) -> None:
        monkeypatch.setenv("GRAYMATTER_CLOCK", f"@{seconds}")

    set_clock(NOW)
    return set_clock


def _lines(memory: Memory) -> list[bytes]:
    return [line.encode() for line in memory.export()]


def _wiped(memory: Memory) -> None:
    shutil.rmtree(memory.data_dir)
    prepare(memory.data_dir, memory.user_dir)


def _full(memory: Memory) -> None:
    memory.remember("app", "Port is 5432", confidence="verified")
    memory.remember("app", "déjà 日本語 🚀\nsecond line", source="user")
    memory.remember("app", "All times are UTC", shared=True, source="mcp")
    memory.remember("app", "Forget me")
    memory.pin("Port is 5432", ["app"])
    memory.alias("app", "db", ["database"])
    memory.forget("Forget me", ["app"])
    memory.revise("All times are UTC", "All times are UTC, ISO-8601", ["__shared__"])
    memory.recall("app", "port")
    memory.consolidate(half_life_hours=0.001)


def test_export_wipe_import_export_gives_the_same_bytes(memory: Memory) -> None:
    _full(memory)
    before = _lines(memory)
    listed = [fact.as_object() for fact in memory.list(retired=True)]
    _wiped(memory)
    assert memory.import_lines(before).added == len(before) == 6
    assert _lines(memory) == before
    assert [fact.as_object() for fact in memory.list(retired=True)] == listed
    assert [fact.text for fact in memory.aliases("app")] == ["alias: db = database"]
    store = open_read(memory.data_dir)
    try:
        ns = find(store, "app")
        assert ns is not None
        assert ns.ordered
    finally:
        store.close()


def test_a_second_import_changes_nothing(memory: Memory) -> None:
    _full(memory)
    lines = _lines(memory)
    again = memory.import_lines(lines)
    assert (again.changed, again.unchanged) == (False, len(lines))
    assert _lines(memory) == lines


def test_counts_that_wait_in_the_journal_are_not_counted_twice(memory: Memory) -> None:
    memory.remember("app", "Seen")
    memory.recall("app", "seen")
    lines = _lines(memory)
    before = Path(memory.data_dir, JOURNAL).read_bytes()
    assert not memory.import_lines(lines, dry_run=True).changed
    assert Path(memory.data_dir, JOURNAL).read_bytes() == before
    assert not memory.import_lines(lines).changed
    assert _lines(memory) == lines


def test_a_dry_run_counts_and_changes_nothing(memory: Memory) -> None:
    _full(memory)
    lines = _lines(memory)
    _wiped(memory)
    assert memory.import_lines(lines, dry_run=True).added == len(lines)
    assert (memory.export(), memory.list()) == ([], [])


def test_one_bad_line_imports_nothing(memory: Memory) -> None:
    _full(memory)
    lines = _lines(memory)
    _wiped(memory)
    with pytest.raises(Malformed, match="line 7"):
        memory.import_lines([*lines, b"{"])
    assert memory.export() == []


def test_an_id_that_means_something_else_here_imports_nothing(memory: Memory) -> None:
    memory.remember("app", "Here")
    (line,) = _lines(memory)
    other = line.replace(b'"text": "Here"', b'"text": "There"')
    fresh = line.replace(b'"id": "0', b'"id": "1').replace(b"Here", b"Fresh")
    with pytest.raises(Malformed, match="another fact of the store has this id"):
        memory.import_lines([fresh, other])
    assert [fact.text for fact in memory.list()] == ["Here"]


def test_two_histories_of_one_memory_are_united(memory: Memory, tmp_path: Path) -> None:
    memory.remember("app", "Port is 5432")
    memory.remember("app", "Stays")
    base = _lines(memory)
    memory.revise("Port is 5432", "Port is 5433", ["app"])
    left = _lines(memory)
    _wiped(memory)
    memory.import_lines(base)
    memory.pin("Stays", ["app"])
    memory.remember("app", "Written elsewhere")
    assert memory.import_lines(left).added == 1
    assert sorted(fact.text for fact in memory.list("app")) == ["Port is 5433", "Stays", "Written elsewhere"]
    assert memory.list("app")[-1].pinned
    memory.import_lines(base)
    assert "Port is 5432" not in [fact.text for fact in memory.list("app")]


def test_a_fact_that_is_live_under_another_id_is_not_doubled(memory: Memory) -> None:
    memory.remember("app", "Said on both machines")
    (line,) = _lines(memory)
    _wiped(memory)
    memory.remember("app", "said on both machines.")
    assert memory.import_lines([line]).duplicates == 1
    assert len(memory.list("app")) == 1


def test_a_save_that_waits_is_exported_once(memory: Memory) -> None:
    memory.remember("app", "First")
    put(memory.data_dir, Spooled(b"\7" * 16, 9_000_000, "app", "Waiting", USER, 0))
    before = _lines(memory)
    assert len(before) == 2
    memory.remember("app", "Third")
    assert len(_lines(memory)) == 3


def test_consolidation_halves_prunes_and_is_idempotent(memory: Memory, at: Callable[[int], None]) -> None:
    memory.remember("app", "Old and unused")
    memory.remember("app", "Old and pinned")
    memory.pin("Old and pinned", ["app"])
    at(NOW + 720 * HOUR)
    memory.remember("app", "Younger")
    (dry,) = memory.consolidate("app", dry_run=True)
    (first,) = memory.consolidate("app")
    assert (dry.lighter, first.lighter, first.pruned) == (1, 1, ())
    assert memory.recall_explain("app", "unused").receipts[0]["weight"] == pytest.approx(0.5, abs=0.01)
    assert memory.consolidate("app")[0].lighter == 0
    at(NOW + 720 * HOUR * 30)
    pruned = [fact.text for fact in memory.consolidate("app")[0].pruned]
    assert sorted(pruned) == ["Old and unused", "Younger"]
    assert "Old and pinned" in [fact.text for fact in memory.list("app")]


def test_a_dry_consolidation_leaves_the_journal(memory: Memory) -> None:
    memory.remember("app", "Seen")
    memory.recall("app", "seen")
    memory.consolidate(dry_run=True)
    assert memory.export()[0].count('"access_count": 1') == 1
    memory.consolidate()
    assert not Path(memory.data_dir, JOURNAL).exists()
    assert memory.export()[0].count('"access_count": 1') == 1


def test_the_half_life_must_be_positive(memory: Memory) -> None:
    for hours in (0, -1, math.nan):
        with pytest.raises(ValueError, match="half-life"):
            memory.consolidate(half_life_hours=hours)


@pytest.mark.parametrize("newer_first", [False, True])
def test_adopting_moves_everything_once_and_keeps_order(
    memory: Memory, at: Callable[[int], None], newer_first: bool
) -> None:
    if newer_first:
        at(NOW + 50)
        memory.remember("app2", "Written after the move")
        memory.recall("app2", "written")
        at(NOW)
    memory.remember("app", "First", confidence="verified")
    memory.remember("app", "Second")
    memory.pin("First", ["app"])
    memory.revise("Second", "Second, revised", ["app"])
    memory.alias("app", "db", ["database"])
    memory.save_checkpoint("app", {"todo": "ship"})
    old = {line.replace('"agent_id": "app"', '"agent_id": "app2"') for line in memory.export("app")}
    kept = set(memory.export("app2"))
    assert memory.adopt("app", "app2") == (4, 1)
    assert set(memory.export("app2")) == old | kept
    assert (memory.export("app"), memory.adopt("app", "app2")) == ([], (0, 0))
    assert [fact.text for fact in memory.list("app2")][-1] == "First"
    assert memory.checkpoints("app2")[0].body["state"] == {"todo": "ship"}
    assert (memory.checkpoints("app"), len(memory.aliases("app2"))) == ([], 1)
    store = open_read(memory.data_dir)
    try:
        ns = find(store, "app2")
        assert ns is not None
        assert ns.ordered
    finally:
        store.close()


def test_adopting_nobody_or_oneself_is_an_error(memory: Memory) -> None:
    memory.remember("app", "Here")
    with pytest.raises(NotFound, match="'nobody'"):
        memory.adopt("nobody", "app")
    with pytest.raises(ValueError, match="itself"):
        memory.adopt("app", "app")


def test_a_checkpoint_holds_no_secret_and_the_newest_comes_first(memory: Memory) -> None:
    memory.save_checkpoint("app", {"n": 1})
    memory.save_checkpoint("app", {"n": 2, "notes": ["<private>hush</private>ok", {"k": "AKIA" + "IOSFODNN7EXAMPL3"}]})
    newest, older = memory.checkpoints("app")
    assert newest.body == {
        "state": {"n": 2, "notes": ["ok", {"k": "(withheld: secret)"}]}, "metadata": {"source": "cli"},
    }  # fmt: skip
    assert older.body["state"] == {"n": 1}
    assert memory.checkpoints("nobody") == []


def test_undo_takes_back_the_last_save_by_a_person(memory: Memory) -> None:
    memory.remember("app", "By hand")
    memory.remember("app", "By an agent", source="mcp")
    memory.remember("app", "Shared by hand", shared=True)
    undone = memory.undo(["app", "__shared__"])
    assert undone.fact is not None
    assert (undone.fact.text, undone.restored) == ("Shared by hand", ())
    with pytest.raises(NotFound, match="already retired"):
        memory.undo(["app", "__shared__"])
    assert sorted(fact.text for fact in memory.list()) == ["By an agent", "By hand"]


def test_undoing_a_revision_brings_the_old_fact_back(memory: Memory) -> None:
    memory.remember("app", "Port is 1")
    memory.pin("Port is 1", ["app"])
    memory.revise("Port is 1", "Port is 2", ["app"])
    undone = memory.undo(["app"])
    assert [fact.text for fact in undone.restored] == ["Port is 1"]
    (fact,) = memory.list("app")
    assert (fact.text, fact.pinned) == ("Port is 1", True)
    assert memory.recall("app", "port").facts[0].text == "Port is 1"


def test_undo_brings_back_what_was_forgotten_last_and_only_once(memory: Memory) -> None:
    memory.remember("other", "Port is 1", confidence="verified")
    memory.pin("Port is 1", ["other"])
    memory.remember("app", "By hand")
    memory.forget("Port is 1", ["other"])
    undone = memory.undo(["app"])
    assert (undone.fact, [fact.text for fact in undone.restored]) == (None, ["Port is 1"])
    (fact,) = memory.list("other")
    assert (fact.pinned, fact.confidence) == (True, "verified")
    assert memory.recall("other", "port").facts[0].text == "Port is 1"
    again = memory.undo(["app"]).fact
    assert again is not None
    assert again.text == "By hand"


def test_undo_takes_back_a_save_that_came_after_the_forgetting(memory: Memory) -> None:
    memory.remember("app", "One")
    memory.forget("One", ["app"])
    memory.remember("app", "Two")
    undone = memory.undo(["app"]).fact
    assert undone is not None
    assert undone.text == "Two"
    assert list(memory.list("app")) == []


def test_undo_brings_an_alias_back_into_force(memory: Memory) -> None:
    memory.remember("app", "The tunnel is wg0")
    memory.alias("app", "vpn", ["tunnel"])
    memory.forget("alias: vpn = tunnel", ["app"])
    (back,) = memory.undo(["app"]).restored
    assert [fact.id for fact in memory.aliases("app")] == [back.id]
    memory.remember("app", "A newer fact")
    assert memory.recall("app", "vpn").facts[0].text == "The tunnel is wg0"


def test_undo_does_not_bring_back_what_was_purged(memory: Memory) -> None:
    memory.remember("app", "One")
    memory.forget("One", ["app"])
    memory.purge("One", ["app"])
    with pytest.raises(NotFound):
        memory.undo(["app"])


def test_undo_without_a_save_by_a_person_says_so(memory: Memory) -> None:
    memory.remember("app", "By an agent", source="mcp")
    with pytest.raises(NotFound, match="nothing was saved here by a person"):
        memory.undo(["app", "nobody"])


@pytest.mark.parametrize(
    ("old", "explicit", "new"),
    [
        ("verified", None, "inferred"),
        (None, None, "inferred"),
        ("unverified", None, "unverified"),
        ("unverified", "verified", "verified"),
    ],
)
def test_a_revision_is_never_more_certain_than_its_source(
    memory: Memory, old: str | None, explicit: str | None, new: str
) -> None:
    memory.remember("app", "Port is 1", confidence=old)
    done = memory.revise("port is 1", "Port is 2", ["app"], options=WriteOptions(explicit))
    assert (done.fact.confidence, done.fact.pinned, done.replaced[0].text) == (new, False, "Port is 1")
    (retired,) = [fact for fact in memory.list("app", retired=True) if not fact.live]
    assert retired.superseded_by == done.fact.id


def test_a_failed_revision_leaves_the_old_fact_live(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("app", "Port is 1")

    def fails(*_: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr("gmhooks.memory.correcting.retire_all", fails)
    with pytest.raises(RuntimeError):
        memory.revise("Port is 1", "Port is 2", ["app"])
    assert [fact.text for fact in memory.list("app")] == ["Port is 1"]


def test_the_second_of_two_revisions_learns_what_holds_now(memory: Memory) -> None:
    saved = memory.remember("app", "Port is 1")
    memory.revise(saved.id, "Port is 2", ["app"])
    for target in (saved.id, "Port is 1"):
        with pytest.raises(NotFound, match=r"already superseded by \[\w+\] Port is 2"):
            memory.revise(target, "Port is 3", ["app"])
    assert [fact.text for fact in memory.list("app")] == ["Port is 2"]


def test_revising_into_a_known_text_keeps_one_fact(memory: Memory) -> None:
    known = memory.remember("app", "Port is 2")
    memory.remember("app", "Port is 1")
    assert memory.revise("Port is 1", "port is 2.", ["app"]).fact.id == known.id
    assert [fact.text for fact in memory.list("app")] == ["Port is 2"]


def test_hundred_revisions_end_in_the_last(memory: Memory) -> None:
    def chain(store: Store) -> None:
        from gmhooks.memory.adding import Draft
        from gmhooks.memory.correcting import update

        add(store, ensure(store, "app"), "Answer 0", 0, USER)
        for n in range(1, 101):
            update(store, f"Answer {n - 1}", Draft("app", f"Answer {n}", USER, 0, n))

    run(memory.data_dir, chain)
    assert [fact.text for fact in memory.recall("app", "answer").facts] == ["Answer 100"]


def test_an_import_and_a_consolidation_choose_the_terms_that_have_bitmaps(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "fold_bitmaps", partial(fold, exact_up_to=2))
    for word in ("one", "two", "three"):
        memory.remember("app", f"redis {word}")
    rows = _lines(memory)
    _wiped(memory)

    def made() -> int:
        store = open_read(memory.data_dir)
        try:
            return counter(store, MADE)
        finally:
            store.close()

    memory.import_lines(rows)
    assert made() == len({"redi", "one", "two", "three"})
    memory.remember("app", "queue four")
    memory.consolidate()
    assert made() == len({"redi", "one", "two", "three", "queue", "four"})
