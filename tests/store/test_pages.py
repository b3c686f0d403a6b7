"""Reading pages gives what LMDB gives, and never more than an error for a damaged or moving file."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest

from gmhooks.store import aliases, facts
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreDamaged, StoreDenied, StoreError, StoreMissing, StoreMoved
from gmhooks.store.layout import ALIASES, DAYS, FACTS, IDS, META, NAMESPACES, POSTINGS, TOUCHES
from gmhooks.store.namespaces import ensure
from gmhooks.store.pages import Pages
from gmhooks.store.records import USER
from gmhooks.store.writer import run

NOW = 1_800_000_000_000_000
WORDS = [f"word{n}" for n in range(60)]


def fill(folder: str, count: int, seed: int = 1) -> None:
    rng = random.Random(seed)

    def work(store: Store) -> None:
        for agent in ("app", "__shared__"):
            ns = ensure(store, agent)
            for n in range(count):
                words = [WORDS[min(int(rng.paretovariate(0.5)), 59)] for _ in range(12)]
                text = " ".join(["common", f"unique{agent}{n}", *words, "filler " * rng.choice([0, 0, 0, 600])])
                facts.add(store, ns, text[:4000], NOW + n, USER)

    run(folder, work)


def compare(folder: str) -> None:
    """Every record and posting list of the store, read both ways."""
    store, pages = open_read(folder), Pages(f"{folder}/gray.mdb")
    try:
        assert pages.identity.store_id == store.identity.store_id
        for name in (META, NAMESPACES, FACTS, IDS, DAYS, TOUCHES):
            for key, value in store.cursor(name):
                assert pages.get(name, key) == value
            for missing in (b"\0", b"no such key", b"\xff" * 16):
                assert pages.get(name, missing) == store.get(name, missing)
        keys = [bytes(key) for key in store.cursor(POSTINGS).iternext_nodup(keys=True, values=False)]
        for some in (keys, keys[::-7], keys[:1], [b"no such ", *keys[3:9]], [bytes(8), b"\xff" * 8]):
            found = pages.packed(POSTINGS, some)
            assert found == store.packed(POSTINGS, some)
            assert [pages.count(POSTINGS, key) for key in some] == [store.count(POSTINGS, key) for key in some]
            assert [pages.count(POSTINGS, key) for key in some] == [len(values) for values in found]
        for key in store.cursor(ALIASES).iternext_nodup(keys=True, values=False):
            assert pages.values(ALIASES, key) == store.values(ALIASES, key) != []
        assert pages.values(ALIASES, b"none") == store.values(ALIASES, b"none") == []
        assert pages.packed(POSTINGS, []) == []
        assert pages.settled()
    finally:
        pages.close()
        store.close()


@pytest.mark.parametrize("count", [0, 1, 3, 40, 1500])
def test_every_record_is_the_same_both_ways(folder: str, count: int) -> None:
    fill(folder, count)
    compare(folder)


@pytest.mark.parametrize("count", [1, 30, 900])
def test_duplicates_of_any_size_are_the_same_both_ways(folder: str, count: int) -> None:
    def work(store: Store) -> None:
        ns = ensure(store, "app")
        for n in range(count):
            aliases.add(store, ns, f"alias: k8s = word{n}", NOW + n, USER)
        aliases.add(store, ns, "alias: db = postgres", NOW + count, USER)

    run(folder, work)
    compare(folder)


def test_the_same_after_many_small_changes(folder: str) -> None:
    for round_number in range(30):
        fill(folder, 7, seed=round_number)
    compare(folder)


def test_a_snapshot_stays_good_for_one_commit_and_says_so_after_two(folder: str) -> None:
    fill(folder, 300)
    pages = Pages(f"{folder}/gray.mdb")
    try:
        fill(folder, 1, seed=2)
        assert pages.settled()
        fill(folder, 1, seed=3)
        assert not pages.settled()
    finally:
        pages.close()


def test_what_goes_wrong_in_a_snapshot_that_moved_is_not_called_damage(folder: str) -> None:
    fill(folder, 300)
    pages = Pages(f"{folder}/gray.mdb")
    try:
        for seed in range(2, 40):
            fill(folder, 20, seed=seed)
        moved = False
        for doc in range(300):
            try:
                pages.get(FACTS, (1 << 32 | doc).to_bytes(8, "big"))
            except StoreMoved:
                moved = True
        assert moved or not pages.settled()
    finally:
        pages.close()


def test_missing_linked_and_foreign_files_are_told_apart(tmp_path: Path, folder: str) -> None:
    with pytest.raises(StoreMissing):
        Pages(str(tmp_path / "nothing"))
    (tmp_path / "link").symlink_to(f"{folder}/gray.mdb")
    with pytest.raises(StoreDenied):
        Pages(str(tmp_path / "link"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreDamaged):
        Pages(str(tmp_path / "pipe"))


@pytest.mark.parametrize(("page", "length"), [(2**64 - 1, 100), (2**51, 100), (3, 2**32 - 1)])
def test_a_record_that_claims_to_lie_anywhere_is_damage(tmp_path: Path, page: int, length: int) -> None:
    """The place and the length of a long record, as damage may leave them: no overflow, no memory asked for."""
    data = str(tmp_path / "data")
    prepare(data, str(tmp_path / "user"))
    fill(data, 5)
    store = open_read(data)
    key, value = next(iter(store.cursor(FACTS)))
    store.close()
    path = Path(data, "gray.mdb")
    raw = bytearray(path.read_bytes())
    node = struct.pack("<HHHH", len(value), 0, 0, len(key)) + key + value
    claim = struct.pack("<HHHH", length & 0xFFFF, length >> 16, 1, len(key)) + key + struct.pack("<Q", page)
    while (at := raw.find(node)) >= 0:
        raw[at : at + len(claim)] = claim
    path.write_bytes(raw)
    pages = Pages(str(path))
    with pytest.raises(StoreDamaged):
        pages.get(FACTS, bytes(key))
    pages.close()


def test_no_damage_is_more_than_an_error(tmp_path: Path) -> None:
    """Truncations, flipped bits, swapped and zeroed pages: an error or the right bytes, in this very process."""
    data = str(tmp_path / "data")
    prepare(data, str(tmp_path / "user"))
    fill(data, 200)
    path = Path(data, "gray.mdb")
    healthy = path.read_bytes()
    store = open_read(data)
    records = [(name, key, value) for name in (FACTS, IDS, NAMESPACES) for key, value in store.cursor(name)]
    keys = [bytes(key) for key in store.cursor(POSTINGS).iternext_nodup(values=False)]
    store.close()
    rng = random.Random(5)
    outcomes = {"error": 0, "fine": 0}
    for trial in range(400):
        raw = bytearray(healthy)
        kind = trial % 5
        page = rng.randrange(len(raw) // 4096) * 4096
        other = rng.randrange(len(raw) // 4096) * 4096
        if kind == 0:
            del raw[rng.randrange(len(raw)) :]
        elif kind == 1:
            for _ in range(16):
                raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        elif kind == 2:
            raw[page : page + 4096] = bytes(4096)
        elif kind == 3:
            raw[page : page + 4096] = rng.randbytes(4096)
        else:
            raw[page : page + 4096], raw[other : other + 4096] = raw[other : other + 4096], raw[page : page + 4096]
        path.write_bytes(raw)
        try:
            pages = Pages(str(path))
        except StoreError:
            outcomes["error"] += 1
            continue
        for name, key, _ in rng.sample(records, 20):
            try:
                pages.get(name, key)
            except StoreError:
                outcomes["error"] += 1
        for key in rng.sample(keys, 20):
            try:
                pages.packed(POSTINGS, [key])
                outcomes["fine"] += 1
            except StoreError:
                outcomes["error"] += 1
        pages.close()
    assert min(outcomes.values()) > 50
    path.write_bytes(healthy)
