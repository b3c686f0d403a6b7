"""A compacted store holds the same facts and none of the bytes of erased ones, also for processes that were at work."""

from __future__ import annotations

import os
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from gmhooks.store import compact as module
from gmhooks.store.check import verify
from gmhooks.store.compact import compact
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreBusy, StoreDamaged, StoreFull, StoreMissing
from gmhooks.store.facts import add, erase, newest
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.postings import df
from gmhooks.store.records import USER
from gmhooks.store.writer import run, save
from gmhooks.text.tokens import terms

SECRET = "the zanzibar handshake"


def _fill(folder: str, writes: int) -> None:
    for n in range(writes):
        run(folder, lambda store, n=n: add(store, ensure(store, "app"), f"fact {n} {'x' * 99}", n, USER))  # type: ignore[misc]
    made = run(folder, lambda store: add(store, ensure(store, "app"), SECRET, 99, USER))
    run(folder, lambda store: erase(store, ensure(store, "app"), made))


def _texts(folder: str) -> list[str]:
    store = open_read(folder)
    try:
        ns = find(store, "app")
        return [fact.text.split(" x")[0] for fact in newest(store, ns)] if ns else []
    finally:
        store.close()


@pytest.mark.parametrize("writes", [1, 2, 7])
def test_erased_bytes_are_gone_and_the_facts_stay(folder: str, writes: int) -> None:
    _fill(folder, writes)
    before = _texts(folder)
    assert SECRET.encode() in Path(folder, "gray.mdb").read_bytes()
    compact(folder)
    assert SECRET.encode() not in Path(folder, "gray.mdb").read_bytes()
    assert (_texts(folder), verify(folder)) == (before, [])
    assert os.stat(f"{folder}/gray.mdb").st_mode & 0o777 == 0o600
    assert [name for name in os.listdir(folder) if name.startswith("compact-")] == []


def test_a_term_of_a_thousand_facts_is_copied_whole(folder: str) -> None:
    texts = [f"written meanwhile {n}" for n in range(1000)]
    save(folder, [("app", text, USER, 0) for text in texts], 1_800_000_000_000_000)
    compact(folder)
    assert sorted(_texts(folder)) == sorted(texts)
    store = open_read(folder)
    try:
        assert df(store, 1, terms("written")[0]) == 1000
    finally:
        store.close()


@pytest.mark.parametrize("writes", [3, 4])
def test_a_process_that_had_the_store_open_does_not_blind_newcomers(folder: str, writes: int) -> None:
    _fill(folder, writes)
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sys; from gmhooks.store.env import open_read\n"
         "store = open_read(sys.argv[1]); print('open', flush=True); sys.stdin.read(); store.close()", folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"open\n"
        before = _texts(folder)
        compact(folder)
        assert _texts(folder) == before
        for n in range(3):
            run(folder, lambda store, n=n: add(store, ensure(store, "app"), f"later {n}", 500 + n, USER))  # type: ignore[misc]
        assert _texts(folder) == ["later 2", "later 1", "later 0", *before]
    finally:
        holder.communicate()
    assert verify(folder) == []
    assert _texts(folder)[:3] == ["later 2", "later 1", "later 0"]


def test_a_busy_store_is_left_alone(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOCK_TRIES", (2, 0.001))
    fd = os.open(folder, os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        with pytest.raises(StoreBusy):
            compact(folder)
    finally:
        os.close(fd)


def test_an_unsound_copy_never_replaces_the_store(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.stat(f"{folder}/gray.mdb").st_ino
    monkeypatch.setattr(module, "verify", lambda where: ["page 3 is bent"])
    with pytest.raises(StoreDamaged, match="page 3 is bent"):
        compact(folder)
    assert os.stat(f"{folder}/gray.mdb").st_ino == before


def test_a_store_that_was_replaced_meanwhile_is_left_alone(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(where: str) -> list[str]:
        os.rename(f"{folder}/gray.mdb", f"{folder}/old")
        Path(folder, "gray.mdb").write_bytes(Path(folder, "old").read_bytes())
        Path(folder, "old").unlink()
        return []

    monkeypatch.setattr(module, "verify", swapped)
    with pytest.raises(StoreBusy, match="replaced"):
        compact(folder)


def test_nothing_to_compact_is_a_missing_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        compact(str(tmp_path))


def test_a_copy_that_cannot_be_made_says_so(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "copy_compact", full)
    with pytest.raises(StoreFull, match="No space"):
        compact(folder)
    assert run(folder, lambda store: isinstance(store, Store)) is True
