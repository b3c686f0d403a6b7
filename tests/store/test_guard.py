"""Nothing but a whole, regular, own file reaches LMDB."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.store.create import prepare
from gmhooks.store.env import open_read
from gmhooks.store.errors import StoreDamaged, StoreMissing, StoreNewer
from gmhooks.store.guard import check
from gmhooks.store.layout import META, SCHEMA, seal
from gmhooks.store.records import pack_identity
from gmhooks.store.writer import run


@pytest.fixture
def spoiled(tmp_path: Path) -> str:
    """A data directory that a test may damage."""
    prepare(str(tmp_path / "data"), str(tmp_path / "user"))
    return str(tmp_path / "data")


def test_a_healthy_store_passes(folder: str) -> None:
    assert check(f"{folder}/gray.mdb").st_nlink == 1


def test_no_store_is_missing_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        check(str(tmp_path / "gray.mdb"))
    with pytest.raises(StoreMissing):
        check(str(tmp_path / "nowhere" / "gray.mdb"))


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 8192, 12288])
def test_a_truncated_file_is_refused_before_it_is_mapped(spoiled: str, size: int) -> None:
    os.truncate(f"{spoiled}/gray.mdb", size)
    with pytest.raises(StoreDamaged):
        open_read(spoiled)


@pytest.mark.parametrize("junk", [b"hello\n", os.urandom(50_000), bytes(50_000)])
def test_other_content_is_refused(spoiled: str, junk: bytes) -> None:
    Path(spoiled, "gray.mdb").write_bytes(junk)
    with pytest.raises(StoreDamaged):
        open_read(spoiled)


@pytest.mark.parametrize("name", ["gray.mdb", "gray.mdb-lock"])
def test_links_and_special_files_are_refused(spoiled: str, tmp_path: Path, name: str) -> None:
    path = Path(spoiled, name)
    kept = path.read_bytes()
    victim = tmp_path / "victim"
    victim.write_bytes(kept)
    path.unlink()
    for plant in (lambda: path.symlink_to(victim), lambda: os.mkfifo(path), lambda: os.link(victim, path), path.mkdir):
        plant()
        with pytest.raises(StoreDamaged):
            open_read(spoiled)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    assert victim.read_bytes() == kept


def test_a_symlinked_directory_is_fine(folder: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    open_read(str(tmp_path / "link")).close()


def test_a_newer_schema_is_read_if_allowed_and_never_written(spoiled: str) -> None:
    def age(min_reader: int) -> None:
        def work(store):  # type: ignore[no-untyped-def]
            store.identity.schema = store.identity.min_writer = SCHEMA + 1
            store.identity.min_reader = min_reader
            store.put(META, b"identity", seal(b"identity", pack_identity(store.identity)))

        run(spoiled, work)

    age(SCHEMA)
    open_read(spoiled).close()
    before = Path(spoiled, "gray.mdb").read_bytes()
    with pytest.raises(StoreNewer):
        run(spoiled, lambda store: None)
    assert Path(spoiled, "gray.mdb").read_bytes() == before


def test_a_store_for_newer_readers_only_is_not_read(spoiled: str) -> None:
    def work(store):  # type: ignore[no-untyped-def]
        store.identity.min_reader = SCHEMA + 1
        store.put(META, b"identity", seal(b"identity", pack_identity(store.identity)))

    run(spoiled, work)
    with pytest.raises(StoreNewer):
        open_read(spoiled)
