"""Costs measured inside one process: the disk's sync floor, one fact's transaction, one fact's analysis."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hook_latency.corpus import Corpus

if TYPE_CHECKING:
    from gmhooks.store.env import Store

MEMORY_FOLDER = Path("/dev/shm")
PAGE = bytes(4096)
META_PAGE = bytes(160)
STORED = 10_000
MEASURED = 1_000
BATCH = 50


class SyncFloor:
    """The least a durable LMDB commit can cost here: one page and fdatasync, then one O_DSYNC write."""

    def __init__(self, folder: Path) -> None:
        path = folder / "sync-floor"
        path.write_bytes(PAGE * 8)
        self._data = os.open(path, os.O_WRONLY)
        self._meta = os.open(path, os.O_WRONLY | os.O_DSYNC)
        self.seconds: list[float] = []

    def measure(self) -> None:
        """Add one measurement."""
        begun = time.perf_counter_ns()
        os.pwrite(self._data, PAGE, 4096)
        os.fdatasync(self._data)
        os.pwrite(self._meta, META_PAGE, 0)
        self.seconds.append((time.perf_counter_ns() - begun) / 1e9)

    def close(self) -> None:
        """Release both descriptors."""
        os.close(self._data)
        os.close(self._meta)


def analysis_seconds() -> float:
    """Median time of everything done to a fact's text before the transaction: checks, cleaning, terms."""
    from gmhooks.hooks.admit import admit
    from gmhooks.text.tokens import terms

    taken = []
    for _, text in Corpus(seed=1).facts(MEASURED):
        begun = time.perf_counter_ns()
        terms(admit(text).text)
        taken.append(time.perf_counter_ns() - begun)
    return statistics.median(taken) / 1e9


def no_memory_folder() -> str | None:
    """Why transactions cannot be measured without the disk here, or None."""
    return None if os.access(MEMORY_FOLDER, os.W_OK) else f"{MEMORY_FOLDER} is not writable"


def transaction_seconds() -> float:
    """Time of begin, duplicate check, one fact with its index entries, and commit, at 10,000 facts: the median of the
    quickest batch, because a shared machine is slower by half for whole tenths of a second.

    The store lies in memory, where a sync costs nothing; terms are prepared beforehand, because their cost
    is the other figure.
    """
    from gmhooks.store import facts as store_facts
    from gmhooks.store.create import prepare
    from gmhooks.store.env import open_write

    texts = [text for _, text in Corpus(seed=2).facts(STORED + MEASURED)]
    original = vars(store_facts)["terms"]
    prepared = {text: original(text) for text in texts}
    with tempfile.TemporaryDirectory(dir=MEMORY_FOLDER) as folder:
        data_dir = f"{folder}/project/.graymatter"
        Path(data_dir).parent.mkdir()
        prepare(data_dir, f"{folder}/user")
        vars(store_facts)["terms"] = prepared.__getitem__
        try:
            store = open_write(data_dir)
            try:
                return _timed_transactions(store, texts)
            finally:
                store.close()
        finally:
            vars(store_facts)["terms"] = original


def _timed_transactions(store: Store, texts: list[str]) -> float:
    from gmhooks.store.facts import add, find_equal
    from gmhooks.store.namespaces import ensure
    from gmhooks.store.records import USER

    namespace = ensure(store, "bench")
    for number, text in enumerate(texts[:STORED]):
        add(store, namespace, text, 1 + number, USER)
    store.txn.commit()
    taken = []
    for number, text in enumerate(texts[STORED:], STORED):
        begun = time.perf_counter_ns()
        store.begin()
        namespace = ensure(store, "bench")
        if find_equal(store, namespace, text) is None:
            add(store, namespace, text, 1 + number, USER)
        store.txn.commit()
        taken.append(time.perf_counter_ns() - begun)
    store.begin()
    return min(statistics.median(taken[at : at + BATCH]) for at in range(0, len(taken), BATCH)) / 1e9
