"""After a repair the store is sound, says what its records said, and the damaged file is still there."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.cli.verbs.repair import lines
from gmhooks.store.aliases import add as add_alias
from gmhooks.store.aliases import expand
from gmhooks.store.aliases import rebuild as rebuild_aliases
from gmhooks.store.check import verify
from gmhooks.store.checkpoints import newest as newest_checkpoints
from gmhooks.store.checkpoints import save as save_checkpoint
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreNewer
from gmhooks.store.facts import add, erase, everything, find_equal, newest, pin, retire
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import META, NAMESPACES, NODES, SCHEMA, TEXTS, fact_key, seal
from gmhooks.store.meta import bump, counter
from gmhooks.store.namespaces import SHARED, ensure, find
from gmhooks.store.nodes import find_edge, link
from gmhooks.store.records import MCP, USER, pack_identity
from gmhooks.store.repair import repair, repair_modes
from gmhooks.store.salvage import salvage
from gmhooks.store.spool import Spooled, put
from gmhooks.store.touches import keep, of
from gmhooks.store.trust import registered
from gmhooks.store.writer import run

NOW = 1_800_000_000_000_000
FACTS = 300


@pytest.fixture
def user_dir(tmp_path: Path) -> str:
    return str(tmp_path / "user")


@pytest.fixture
def folder(tmp_path: Path, user_dir: str) -> str:
    data = tmp_path / "project" / ".graymatter"
    data.parent.mkdir()
    prepare(str(data), user_dir)
    run(str(data), fill)
    return str(data)


def fill(store: Store) -> None:
    """Facts in every state, long and short, in three namespaces, and one of everything else."""
    ns = ensure(store, "app")
    for n in range(FACTS):
        long = " lorem ipsum" * 60 if n % 50 == 0 else ""
        fact = add(store, ns, f"fact number {n} of the app{long}", NOW + n, USER, 3 if n % 40 == 0 else 0)
        if n % 30 == 0:
            pin(store, fact, NOW)
        if n % 20 == 1:
            retire(store, ns, fact)
        if n % 97 == 5:
            erase(store, ns, fact)
        keep(store, ns.number, fact.doc, n, NOW) if n % 25 == 2 else None
    other = ensure(store, SHARED)
    add(store, other, "all timestamps are UTC", NOW, MCP)
    add_alias(store, ns, "alias: db = database", NOW, USER)
    old = add_alias(store, ns, "alias: k8s = kubernetes", NOW, USER)
    retire(store, ns, old)
    rebuild_aliases(store, ns)
    ensure(store, "empty")
    save_checkpoint(store, ns, b'{"state": {}}', NOW)
    link(store, "billing", "vault", "uses", NOW, [bytes(16)])
    bump(store, "saves", 7)


def content(folder: str) -> dict[str, object]:
    """Everything the store says, in a form that can be compared."""
    store = open_read(folder)
    try:
        found: dict[str, object] = {}
        for agent_id in ("app", SHARED, "empty"):
            ns = find(store, agent_id)
            assert ns is not None
            found[agent_id] = [
                (f.doc, f.id, f.text, f.created_us, f.source, f.confidence, f.pinned_us, f.superseded_by, f.kind,
                 of(store, ns.number, f.doc))
                for f in everything(store, ns)
            ]  # fmt: skip
            found[f"{agent_id} counts"] = (ns.number, ns.next_doc, ns.live, ns.aliases, ns.erased, ns.last_id)
            found[f"{agent_id} checkpoints"] = newest_checkpoints(store, ns, 9)
        ns = find(store, "app")
        assert ns is not None
        found["aliases"] = expand(store, ns, ["db", "k8s"])
        edge = find_edge(store, "billing", "vault", "uses")
        found["edge"] = edge.receipts if edge else None
        found["counter"] = counter(store, "saves")
        found["identity"] = (store.identity.store_id, store.identity.secret)
        return found
    finally:
        store.close()


def texts(folder: str, agent_id: str = "app") -> set[str]:
    store = open_read(folder)
    try:
        ns = find(store, agent_id)
        return {fact.text for fact in newest(store, ns)} if ns else set()
    finally:
        store.close()


def spoil(folder: str, change: Callable[[bytearray], object]) -> bytes:
    path = Path(folder, "gray.mdb")
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return bytes(data)


def without_main_root(data: bytearray) -> None:
    """Wipe the page that the newest commit begins at."""
    metas = [data[at + 128 : at + 152] for at in (0, 4096)]
    newest = max(metas, key=lambda meta: int.from_bytes(meta[16:], "little"))
    root = int.from_bytes(newest[:8], "little") * 4096
    data[root : root + 4096] = bytes(4096)


def test_a_meta_page_with_a_wrong_commit_number_costs_no_fact(folder: str, user_dir: str) -> None:
    """The former commit seems to be the newest: what that one left free is in use."""
    run(folder, lambda store: [add(store, ensure(store, "app"), f"late fact {n}", NOW + n, USER) for n in range(9000, 9040)])
    path = Path(folder, "gray.mdb")
    data = bytearray(path.read_bytes())
    known = len(salvage(bytes(data)).facts)
    older = min((0, 4096), key=lambda at: int.from_bytes(data[at + 144 : at + 152], "little"))
    data[older + 149] ^= 1
    path.write_bytes(data)
    assert verify(folder)
    assert repair(folder, user_dir).facts == known
    assert verify(folder) == []


def test_a_namespace_that_a_save_began_anew_joins_the_one_it_did_not_find(folder: str, user_dir: str) -> None:
    store = open_read(folder)
    space = find(store, "app")
    assert space is not None
    before = {fact.id: fact.text for fact in everything(store, space)}
    key = next(key for key, raw in store.cursor(NAMESPACES) if b"app" in raw)
    record = store.get(NAMESPACES, key)
    assert record is not None
    store.close()

    def hide(store: Store) -> None:
        store.txn.delete(key, db=store.db(NAMESPACES))
        begun = ensure(store, "app")
        begun.number = 9
        fact = add(store, begun, "saved into the damaged store", NOW + 5000, USER)
        save_checkpoint(store, begun, b"{}", NOW)
        store.put(NODES, key, record)  # as a page in another's place keeps it
        before[fact.id] = fact.text

    run(folder, hide)
    found = salvage(Path(folder, "gray.mdb").read_bytes())
    assert len(found.namespaces) == 4
    repair(folder, user_dir)
    assert verify(folder) == []
    store = open_read(folder)
    joined = find(store, "app")
    assert joined is not None
    assert joined.number == space.number
    assert {fact.id: fact.text for fact in everything(store, joined)} == before
    assert b"{}" in [body for *_, body in newest_checkpoints(store, joined, 50)]
    store.close()


def test_a_sound_store_is_left_as_it_is(folder: str, user_dir: str) -> None:
    before = Path(folder, "gray.mdb").stat()
    done = repair(folder, user_dir)
    assert (done.problems, done.kept) == ((), "")
    assert Path(folder, "gray.mdb").stat().st_ino == before.st_ino


def test_without_its_main_tree_a_store_comes_back_whole(folder: str, user_dir: str) -> None:
    before = content(folder)
    spoiled = spoil(folder, without_main_root)
    done = repair(folder, user_dir)
    assert done.problems
    assert (done.lost, done.unnamed) == (0, ())
    assert verify(folder) == []
    assert content(folder) == before
    assert registered(user_dir, folder) == before["identity"][0]  # type: ignore[index]
    assert Path(done.kept).read_bytes() == spoiled
    assert os.stat(done.kept).st_nlink == 1


def test_a_damaged_record_is_lost_and_counted_and_nothing_else(folder: str, user_dir: str) -> None:
    before = texts(folder)
    spoil(folder, lambda data: data.__setitem__(data.rindex(b"fact number 42 "), 0))
    done = repair(folder, user_dir)
    assert (done.lost, before - texts(folder)) == (1, {"fact number 42 of the app"})
    assert verify(folder) == []


def test_what_was_erased_does_not_come_back(folder: str, user_dir: str) -> None:
    def erase_one(store: Store) -> None:
        ns = find(store, "app")
        assert ns is not None
        fact = find_equal(store, ns, "fact number 77 of the app")
        assert fact is not None
        erase(store, ns, fact)

    run(folder, erase_one)
    spoil(folder, lambda data: data.__setitem__(data.rindex(b"fact number 42 "), 0))
    repair(folder, user_dir)
    assert "fact number 77 of the app" not in texts(folder)


def test_a_lost_identity_and_lost_names_do_not_lose_facts_or_trust(folder: str, user_dir: str) -> None:
    known = registered(user_dir, folder)
    before = texts(folder)

    def change(data: bytearray) -> None:
        at = 0
        while (at := data.find(b"identity", at) + 1) > 0:
            data[at + 20] ^= 0xFF
        for name in re.finditer(rb"(?<!the )app", bytes(data)):
            data[name.start()] ^= 0xFF

    spoil(folder, change)
    done = repair(folder, user_dir)
    assert verify(folder) == []
    assert done.unnamed == ("recovered-1",)
    assert texts(folder, "recovered-1") == before
    store = open_read(folder)
    assert store.identity.store_id == known
    store.close()


@pytest.mark.parametrize("kind", ["empty", "garbage", "fifo", "folder", "link"])
def test_a_file_that_says_nothing_makes_way_for_a_new_store_and_is_kept(folder: str, user_dir: str, kind: str) -> None:
    path = Path(folder, "gray.mdb")
    path.unlink()
    if kind == "empty":
        path.touch()
    elif kind == "garbage":
        path.write_bytes(random.Random(3).randbytes(50_000))
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(folder + "/hooks.log")
    put(folder, Spooled(bytes(15) + b"\1", NOW, "app", "waited in the spool", USER, 0))
    done = repair(folder, user_dir)
    assert (done.facts, done.filed) == (0, 1)
    assert os.path.lexists(done.kept)
    assert texts(folder) == {"waited in the spool"}
    assert verify(folder) == []
    store = open_read(folder)
    assert store.identity.store_id == registered(user_dir, folder)
    store.close()


def test_an_unreadable_spool_file_stays_and_is_counted(folder: str, user_dir: str) -> None:
    Path(folder, "spool", "01ARZ3NDEKTSV4RRFFQ69G5FAV.fact").write_bytes(b"half")
    assert repair(folder, user_dir).unreadable == 1
    assert os.listdir(f"{folder}/spool") == ["01ARZ3NDEKTSV4RRFFQ69G5FAV.fact"]


def test_a_damaged_store_of_a_newer_version_is_not_touched(folder: str, user_dir: str) -> None:
    def newer(store: Store) -> None:
        store.identity.min_writer = SCHEMA + 1
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(store.identity)))

    run(folder, newer)
    spoiled = spoil(folder, lambda data: data.__setitem__(data.rindex(b"fact number 42 "), 0))
    with pytest.raises(StoreNewer):
        repair(folder, user_dir)
    assert Path(folder, "gray.mdb").read_bytes() == spoiled
    assert not list(Path(folder).glob("repair-*"))


def test_rights_of_others_are_taken_away(folder: str) -> None:
    os.chmod(f"{folder}/gray.mdb", 0o644)
    os.chmod(folder, 0o755)
    os.symlink("/etc/hostname", f"{folder}/link")
    assert sorted(repair_modes(folder)) == [folder, f"{folder}/gray.mdb"]
    assert repair_modes(folder) == []


@pytest.mark.parametrize("seed", range(25))
def test_no_damage_makes_repair_fail_or_invent_a_fact(folder: str, user_dir: str, seed: int) -> None:
    rng = random.Random(seed)
    before = texts(folder)

    def change(data: bytearray) -> None:
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((1, 16, 4096))] = rng.randbytes(1) * min(
                rng.choice((1, 16, 4096)), len(data) - at
            )
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]

    spoil(folder, change)
    repair(folder, user_dir)
    assert verify(folder) == []
    store = open_read(folder)
    store.close()
    assert texts(folder) | texts(folder, "recovered-1") <= before | {
        f"fact number {n} of the app" for n in range(FACTS)
    }


def test_salvage_takes_any_bytes(folder: str) -> None:
    data = Path(folder, "gray.mdb").read_bytes()
    rng = random.Random(1)
    for _ in range(60):
        torn = bytearray(data[: rng.randrange(len(data))])
        for _ in range(200):
            if torn:
                torn[rng.randrange(len(torn))] = rng.randrange(256)
        assert all(fact.text for fact in salvage(bytes(torn)).facts.values())


def test_what_an_unreadable_file_held_is_unknown_and_not_nothing(folder: str, user_dir: str) -> None:
    spoil(folder, lambda data: data.__setitem__(slice(None), bytes(len(data))))
    done = repair(folder, user_dir)
    assert (done.facts, done.lost) == (0, None)
    assert "Saved from it: 0 facts; how many are lost is unknown." in lines(done)


def test_an_index_entry_of_a_wrong_size_is_damage_that_a_repair_mends(folder: str, user_dir: str) -> None:
    text = "the gate of the harbour is green"

    def spoil(store: Store) -> None:
        fact = add(store, ensure(store, "app"), text, NOW + 10**9, USER)
        key = next(key for key, value in store.cursor(TEXTS) if value == fact_key(fact.ns, fact.doc)[4:])
        store.txn.delete(key, db=store.db(TEXTS))
        store.put(TEXTS, key, b"\xff" * 9)

    run(folder, spoil)
    assert "makes no sense" in verify(folder)[0]
    repair(folder, user_dir)
    assert verify(folder) == []
