"""The access journal keeps every line and survives what lies between the lines."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from gmhooks.store import touches
from gmhooks.store.env import open_read
from gmhooks.store.writer import run


def _append_many(folder: str, doc: int) -> None:
    for n in range(500):
        touches.append(folder, [(1, doc), (2, doc)], n)


def counts(folder: str, keys: list[tuple[int, int]]) -> list[tuple[int, int]]:
    store = open_read(folder)
    try:
        return [touches.of(store, number, doc) for number, doc in keys]
    finally:
        store.close()


def test_lines_of_many_processes_are_all_counted(folder: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_append_many, args=(folder, doc)) for doc in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert run(folder, lambda store: touches.fold(store, folder)) == 4 * 500 * 2
    touches.folded(folder)
    assert counts(folder, [(1, 0), (2, 3), (1, 9)]) == [(500, 499), (500, 499), (0, 0)]
    assert not Path(folder, "access.folding").exists()


def test_garbage_between_lines_is_skipped(folder: str) -> None:
    Path(folder, "access.log").write_bytes(b"\xff\xfe\0\n5 1:2 x:y 1: :3 9999999999999:1\nnot a line\n7 1:2")
    assert run(folder, lambda store: touches.fold(store, folder)) == 2
    assert counts(folder, [(1, 2)]) == [(2, 7)]


def test_a_fold_that_was_interrupted_is_taken_up_again(folder: str) -> None:
    Path(folder, "access.folding").write_text("3 1:1\n")
    touches.append(folder, [(1, 2)], 4)
    assert run(folder, lambda store: touches.fold(store, folder)) == 1
    touches.folded(folder)
    assert run(folder, lambda store: touches.fold(store, folder)) == 1
    assert counts(folder, [(1, 1), (1, 2)]) == [(1, 3), (1, 4)]


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
def test_a_journal_that_cannot_be_written_costs_counts_only(folder: str, kind: str) -> None:
    journal = Path(folder, "access.log")
    journal.unlink()
    if kind == "fifo":
        os.mkfifo(journal)
    elif kind == "folder":
        journal.mkdir()
    else:
        journal.symlink_to(f"{folder}/hooks.log")
    touches.append(folder, [(1, 2)], 5)
    assert Path(folder, "hooks.log").read_bytes() == b""


def test_a_journal_that_nothing_folds_stops_growing(folder: str) -> None:
    journal = Path(folder, "access.log")
    journal.write_bytes(b"5 1:2\n" * 400_000)
    size = journal.stat().st_size
    touches.append(folder, [(1, 2)], 5)
    assert journal.stat().st_size == size > 2 << 20
