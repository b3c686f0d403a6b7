"""Peer cases, area C: what the store promises, alone and with others at work."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from gmhooks.hooks.admit import Refused
from gmhooks.memory.api import Memory
from gmhooks.memory.errors import NotFound
from gmhooks.memory.options import WriteOptions
from gmhooks.store.check import verify
from gmhooks.store.env import open_read
from gmhooks.store.errors import StoreBusy
from gmhooks.store.facts import add, get, pin, set_confidence
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import USER
from gmhooks.store.writer import run


def _texts(memory: Memory) -> list[str]:
    return sorted(fact.text for fact in memory.list("app"))


def test_c01_c02_a_save_needs_no_model(memory: Memory) -> None:
    assert memory.remember("app", "One").outcome == "stored"
    assert _texts(memory) == ["One"]


def test_c04_forgetting_what_is_not_there_changes_nothing_and_says_so(memory: Memory) -> None:
    for agent_id in ("app", "nobody"):
        with pytest.raises(NotFound):
            memory.forget("Nothing", [agent_id])
    assert memory.list(retired=True) == []


def test_c05_revising_for_an_unknown_agent_creates_nothing(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.revise("Old", "New", ["nobody"])
    overview = memory.overview()
    assert overview is not None
    assert overview.namespaces == ()


def test_c07_counts(memory: Memory) -> None:
    memory.remember("app", "One")
    memory.remember("app", "Two")
    overview = memory.overview()
    assert overview is not None
    (count,) = overview.namespaces
    assert (count.agent_id, count.live, count.newest_at is not None) == ("app", 2, True)
    assert [receipt["weight"] for receipt in memory.recall_explain("app", "").receipts] == [1.0, 1.0]


def test_c08_many_threads_lose_nothing(memory: Memory) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory.remember(f"agent {n % 2}", f"fact {n}"), range(60)))
    memory.remember("last", "drains the spool")
    assert len(memory.list()) == 61


def test_c10_reopening_neither_loses_nor_doubles(memory: Memory) -> None:
    memory.remember("app", "One")
    for _ in range(2):
        assert _texts(Memory(memory.data_dir, memory.user_dir)) == ["One"]


def test_c13_a_held_lock_spools_saves_and_refuses_corrections(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("app", "One")
    monkeypatch.setattr("gmhooks.store.writer._PATIENT", (3, 0.001))
    fd = os.open(memory.data_dir, os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        assert memory.remember("app", "Two").outcome == "spooled"
        with pytest.raises(StoreBusy, match="another process is writing"):
            memory.forget("One", ["app"])
        assert _texts(memory) == ["One", "Two"]
    finally:
        os.close(fd)


def test_c14_a_reader_cannot_write(memory: Memory) -> None:
    memory.remember("app", "One")
    store = open_read(memory.data_dir)
    try:
        ns = find(store, "app")
        assert ns is not None
        fact = get(store, ns.number, 0)
        assert fact is not None
        for attempt in (lambda: add(store, ns, "Two", 0, USER), lambda: pin(store, fact, 1)):
            with pytest.raises(Exception, match=r"EACCES|read-only|Permission"):
                attempt()
    finally:
        store.close()


@pytest.mark.parametrize("where", ["gmhooks.memory.correcting.add_fact", "gmhooks.memory.correcting.retire_all"])
def test_c19_a_revision_that_fails_anywhere_is_not_visible(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    memory.remember("app", "Old")

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(where, fails)
    with pytest.raises(RuntimeError):
        memory.revise("Old", "New", ["app"])
    assert _texts(memory) == ["Old"]


def test_c20_the_label_is_in_the_first_commit(memory: Memory) -> None:
    memory.remember("app", "One", confidence="verified")
    (fact,) = Memory(memory.data_dir, memory.user_dir).list("app")
    assert fact.confidence == "verified"


def test_c22_options_cannot_change_under_a_save() -> None:
    options = WriteOptions(confidence="verified")
    with pytest.raises(FrozenInstanceError):
        options.confidence = "unverified"  # type: ignore[misc]


def test_c23_an_older_copy_never_brings_a_retired_fact_back(memory: Memory) -> None:
    memory.remember("app", "Old")
    before = [line.encode() for line in memory.export()]
    memory.forget("Old", ["app"])
    assert memory.import_lines(before).changed is False
    assert _texts(memory) == []


def test_c25_narrow_changes_keep_the_newest_label(memory: Memory) -> None:
    saved = memory.remember("app", "One", confidence="unverified")

    def promote(store: object) -> None:
        ns = ensure(store, "app")  # type: ignore[arg-type]
        fact = get(store, ns.number, 0)  # type: ignore[arg-type]
        assert fact is not None
        set_confidence(store, fact, 3)  # type: ignore[arg-type]

    run(memory.data_dir, promote)
    memory.pin(saved.id, ["app"])
    memory.recall("app", "one")
    memory.consolidate()
    memory.pin(saved.id, ["app"], on=False)
    memory.forget(saved.id, ["app"])
    assert memory.list("app", retired=True)[0].confidence == "verified"


def test_c29_a_fresh_store_is_healthy(memory: Memory) -> None:
    assert verify(memory.data_dir) == []


def test_c32_what_can_be_shown_comes_back_as_it_was_and_the_rest_is_told(memory: Memory) -> None:
    text = "emoji 👩‍👩‍👧 and 🚀\n  second line\twith a tab"
    assert memory.remember("app", text).notes == ()
    assert memory.list("app")[0].text == text
    assert memory.remember("app", "bell\x07 and escape\x1b[2J").text == "bell and escape[2J"
    with pytest.raises(Refused, match="at most 4,000"):
        memory.remember("app", "x" * 100_000)
    assert Path(memory.data_dir, "gray.mdb").is_file()
