"""A store of every format version ever written can be read and written; a newer one is never written."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from gmhooks.store.aliases import expand
from gmhooks.store.audit import newest as newest_corrections
from gmhooks.store.check import verify
from gmhooks.store.checkpoints import newest as newest_checkpoints
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreNewer
from gmhooks.store.facts import everything, newest
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import FACTS, META, NAMESPACES, SCHEMA, seal, unseal
from gmhooks.store.marks import PINNED, marked
from gmhooks.store.meta import counter
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.nodes import find_edge
from gmhooks.store.records import (
    USER,
    pack_fact,
    pack_identity,
    pack_namespace,
    unpack_fact,
    unpack_identity,
    unpack_namespace,
)
from gmhooks.store.touches import of
from gmhooks.store.writer import run, save
from tests.store.fixtures.make import path_of

NOW = 1_800_000_000_000_000
VERSIONS = range(1, SCHEMA + 1)


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    shutil.copy(path_of(request.param), tmp_path / "gray.mdb")
    (tmp_path / "spool").mkdir()
    return str(tmp_path)


def test_every_version_has_its_fixture() -> None:
    assert all(path_of(version).exists() for version in VERSIONS)


def test_an_old_store_says_everything_it_said(old: str) -> None:
    """F113."""
    assert verify(old) == []
    store = open_read(old)
    try:
        ns, shared = find(store, "fixture"), find(store, SHARED)
        assert ns is not None
        assert shared is not None
        facts = {fact.doc: fact for fact in everything(store, ns)}
        assert len(facts) == 42
        assert (ns.live, ns.aliases, ns.erased) == (40, 1, 1)
        assert facts[3].text == "Fact 3 of the fixture is kept for good"
        assert (facts[3].pinned, facts[3].confidence, facts[3].source) == (True, 3, 1)
        assert not facts[5].live
        assert facts[40].text == "A long fact " + "with many words " * 200
        assert facts[41].text == "Ein Fakt mit Umlauten: Größe, Übung, naïve Café 日本語"
        assert list(marked(store, ns.number, PINNED)) == [33, 23, 13, 3]
        assert of(store, ns.number, 35) == (35, 1_750_000_000_000_035)
        assert expand(store, ns, ["db"]) == ["db", "databas"]
        assert [fact.text for fact in newest(store, shared)] == ["All timestamps are UTC"]
        assert newest_checkpoints(store, ns, 1)[0][3] == b'{"state":{"branch":"main"}}'
        assert newest_corrections(store, 1) == [(1_750_000_000_000_000, b'{"action":"forget"}')]
        edge = find_edge(store, "billing", "vault", "uses")
        assert edge is not None
        assert edge.receipts == [bytes(range(16))]
        assert counter(store, "facts_added") == 42
    finally:
        store.close()


def test_an_old_store_is_written_and_stays_sound(old: str) -> None:
    assert save(old, [("fixture", "Written by a later version", USER, 0)], NOW)[0].outcome == "saved"
    assert save(old, [("fixture", "fact 7 of the fixture is kept for good", USER, 0)], NOW)[0].outcome == "duplicate"
    assert verify(old) == []


def test_records_keep_their_bytes(tmp_path: Path) -> None:
    """The present code packs what it unpacks to the same bytes; other bytes need a new format version and its fixture."""
    shutil.copy(path_of(SCHEMA), tmp_path / "gray.mdb")
    store = open_read(str(tmp_path))
    try:
        for key, raw in store.cursor(FACTS):
            number = int.from_bytes(key, "big")
            body = unseal(key, raw) or b""
            assert pack_fact(unpack_fact(number >> 32, number & 0xFFFFFFFF, body)) == body
        for key, raw in store.cursor(NAMESPACES):
            body = unseal(key, raw) or b""
            assert pack_namespace(unpack_namespace(body)) == body
        body = unseal(IDENTITY_KEY, store.get(META, IDENTITY_KEY)) or b""
        assert pack_identity(unpack_identity(body)) == body
    finally:
        store.close()


def demand(folder: str, reader: int, writer: int) -> None:
    def work(store: Store) -> None:
        store.identity.min_reader, store.identity.min_writer = reader, writer
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(store.identity)))

    run(folder, work)


def digest(folder: str) -> str:
    return hashlib.sha256(Path(folder, "gray.mdb").read_bytes()).hexdigest()


def test_a_store_that_asks_for_a_newer_writer_is_read_and_never_written(folder: str) -> None:
    save(folder, [("app", "there", USER, 0)], NOW)
    demand(folder, SCHEMA, SCHEMA + 1)
    before = digest(folder)
    with pytest.raises(StoreNewer):
        run(folder, lambda store: None)
    assert save(folder, [("app", "waits", USER, 0)], NOW)[0].outcome == "spooled"
    assert digest(folder) == before
    open_read(folder).close()


def test_a_store_that_asks_for_a_newer_reader_is_not_read(old: str) -> None:
    demand(old, SCHEMA + 1, SCHEMA + 1)
    before = digest(old)
    with pytest.raises(StoreNewer):
        open_read(old)
    assert digest(old) == before
