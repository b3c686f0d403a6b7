"""Checkpoints are newest first, at most fifty."""

from __future__ import annotations

from gmhooks.store import checkpoints
from gmhooks.store.env import Store, open_read
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.writer import run


def test_the_newest_fifty_are_kept(folder: str) -> None:
    def work(store: Store) -> None:
        for n in range(53):
            checkpoints.save(store, ensure(store, "app"), b"%d" % n, 1_000_000 * n)
        checkpoints.save(store, ensure(store, "other"), b"x", 5)

    run(folder, work)
    store = open_read(folder)
    try:
        found = _newest(store)
    finally:
        store.close()
    assert [body for _, _, _, body in found] == [b"%d" % n for n in range(52, 2, -1)]
    assert found[0][1] == 52_000_000


def _newest(store: Store) -> list[tuple[bytes, int, bool, bytes]]:
    ns = find(store, "app")
    assert ns
    return checkpoints.newest(store, ns, 100)
