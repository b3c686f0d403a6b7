"""A process that opens a store again looks at its file again when that has changed, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.store import again
from gmhooks.store.again import open_again
from gmhooks.store.errors import StoreDamaged, StoreDenied, StoreMissing
from gmhooks.store.layout import FACTS
from gmhooks.store.pages import Pages

NOW = 1_800_000_000_000_000
PAGE = 4096


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose pages were looked at, in order."""
    seen: list[str] = []
    check_roots = again.check_roots

    def noting(path: str) -> None:
        seen.append(path)
        check_roots(path)

    monkeypatch.setattr(again, "check_roots", noting)
    return seen


def damage(path: Path) -> None:
    """Make the root of the facts a page of another kind, in place."""
    pages = Pages(str(path))
    at = pages._roots[FACTS] * PAGE + 10
    pages.close()
    with path.open("r+b") as file:
        file.seek(at)
        kind = file.read(1)[0]
        file.seek(at)
        file.write(bytes((kind ^ 1,)))


def test_a_file_that_rests_is_looked_at_once(
    folder: str, path: Path, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(again, "_SETTLED_NS", -1)
    for _ in range(3):
        open_again(folder).close()
    assert looks == [str(path)]


def test_a_file_that_changed_within_the_last_ticks_is_looked_at_again(
    folder: str, path: Path, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(again, "_SETTLED_NS", 1 << 60)
    open_again(folder).close()
    open_again(folder).close()
    assert looks == [str(path)] * 2


def test_damage_after_a_sound_look_is_found(folder: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "_SETTLED_NS", -1)
    open_again(folder).close()
    before = path.stat()
    damage(path)
    # As if a program had put the time back; the time of the inode's change tells, when it has come to its next tick.
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StoreDamaged):
        open_again(folder)


def test_another_file_in_its_place_is_looked_at(
    folder: str, path: Path, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(again, "_SETTLED_NS", -1)
    open_again(folder).close()
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.rename(path)
    open_again(folder).close()
    assert len(looks) == 2


def test_what_names_the_files_is_asked_every_time(folder: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "_SETTLED_NS", -1)
    open_again(folder).close()
    lock = path.with_name("gray.mdb-lock")
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises((StoreDamaged, StoreDenied)):
        open_again(folder)
    lock.unlink()
    aside = path.with_name("aside")
    path.rename(aside)
    with pytest.raises(StoreMissing):
        open_again(folder)
    aside.rename(path)
