"""A backup is sound, holds what the store held, and brings it back; one is made a day and three are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.store import backup
from gmhooks.store.backup import daily, listed_files, make, restore
from gmhooks.store.check import verify
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreBusy, StoreDamaged, StoreMissing, StoreUntrusted
from gmhooks.store.facts import newest
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.namespaces import find
from gmhooks.store.records import USER
from gmhooks.store.trust import registered
from gmhooks.store.writer import save

ROOT = Path(__file__).resolve().parents[2]
NOW = 1_800_000_000
DAY = 86_400
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from gmhooks.store.writer import save
for n in range(100000):
    save(sys.argv[2], [("app", f"written meanwhile {n}", 0, 0)], 1_800_000_000_000_000 + n)
    print(n, flush=True)
"""


def add(folder: str, *texts: str) -> None:
    save(folder, [("app", text, USER, 0) for text in texts], NOW * 1_000_000)


def texts(folder: str) -> list[str]:
    store = open_read(folder)
    try:
        return _texts(store)
    finally:
        store.close()


def _texts(store: Store) -> list[str]:
    ns = find(store, "app")
    return [fact.text for fact in newest(store, ns)][::-1] if ns else []


def test_a_backup_brings_back_what_the_store_held_and_keeps_what_it_replaces(folder: str, user_dir: str) -> None:
    add(folder, "one", "two")
    made = make(folder, NOW)
    assert (made.facts, os.stat(made.path).st_mode & 0o777) == (2, 0o600)
    add(folder, "three")
    done = restore(folder, made.path, registered(user_dir, folder), NOW)
    assert (done.facts, texts(folder)) == (2, ["one", "two"])
    add(folder, "four")
    assert texts(folder) == ["one", "two", "four"]
    os.rename(done.kept, f"{folder}/gray.mdb")
    os.unlink(f"{folder}/gray.mdb-lock")
    assert texts(folder) == ["one", "two", "three"]


def test_backups_of_one_second_have_names_of_their_own_and_the_newest_comes_first(folder: str) -> None:
    made = [make(folder, NOW).path for _ in range(11)]
    assert listed_files(folder) == made[::-1]


def test_one_daily_backup_is_made_a_day_and_three_are_kept(folder: str) -> None:
    asked = make(folder, NOW).path
    made = [daily(folder, NOW + hours * 3600) for hours in (0, 1, 23, 24, 30, 48, 72, 96)]
    assert [backup is not None for backup in made] == [True, False, False, True, False, True, True, True]
    kept = [backup.path for backup in made if backup][-3:]
    assert listed_files(folder) == [*kept[::-1], asked]


def test_a_damaged_copy_another_store_and_a_missing_file_are_refused(
    folder: str, user_dir: str, tmp_path: Path
) -> None:
    add(folder, "one")
    known = registered(user_dir, folder)
    made = make(folder, NOW).path
    data = Path(folder, "gray.mdb")
    before = data.stat().st_ino, data.stat().st_mtime_ns
    damaged = tmp_path / "damaged.mdb"
    damaged.write_bytes(Path(made).read_bytes().replace(b"one", b"two"))
    other = tmp_path / "other" / ".graymatter"
    other.parent.mkdir()
    prepare(str(other), user_dir)
    for source, error in (
        (str(damaged), StoreDamaged),
        (str(other / "gray.mdb"), StoreUntrusted),
        (str(tmp_path / "nowhere.mdb"), StoreMissing),
    ):
        with pytest.raises(error):
            restore(folder, source, known, NOW)
    with pytest.raises(StoreUntrusted):
        restore(folder, made, None, NOW)
    assert (data.stat().st_ino, data.stat().st_mtime_ns) == before
    assert not list(Path(folder).glob("restore-*"))


def test_nothing_is_restored_while_somebody_writes(folder: str, user_dir: str) -> None:
    made = make(folder, NOW).path
    lock = try_lock(folder, 1, 0)
    assert lock is not None
    with pytest.raises(StoreBusy):
        restore(folder, made, registered(user_dir, folder), NOW)
    unlock(lock)


def test_a_damaged_store_gets_no_backup_and_loses_none(folder: str) -> None:
    add(folder, "one")
    good = make(folder, NOW).path
    data = Path(folder, "gray.mdb").read_bytes()
    Path(folder, "gray.mdb").write_bytes(data.replace(b"one", b"two"))
    with pytest.raises(StoreDamaged):
        make(folder, NOW + 1)
    assert listed_files(folder) == [good]
    Path(folder, "gray.mdb").write_bytes(data)


def test_backups_under_load_are_sound(folder: str, tmp_path: Path, user_dir: str) -> None:
    """Copies of a store that another process writes all the time: each verifies and holds what was acknowledged before."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(ROOT), folder], stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    try:
        for n in range(5):
            acknowledged = int(writer.stdout.readline())
            made = make(folder, NOW + n)
            copy = tmp_path / f"copy{n}"
            copy.mkdir()
            os.link(made.path, copy / "link")
            os.rename(made.path, copy / "gray.mdb")
            os.unlink(copy / "link")
            assert verify(str(copy)) == []
            assert f"written meanwhile {acknowledged}" in texts(str(copy))
    finally:
        writer.kill()
        writer.communicate()


def test_lmdb_finds_a_lock_file_with_room_beside_every_copy_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, user = str(tmp_path / "data"), str(tmp_path / "user")
    prepare(folder, user)
    add(folder, "One")
    seen: list[int] = []
    sound = backup._sound

    def looked_at(aside: str) -> int:
        seen.append(os.stat(f"{aside}/gray.mdb-lock").st_size)
        return sound(aside)

    monkeypatch.setattr(backup, "_sound", looked_at)
    made = make(folder, NOW)
    restore(folder, made.path, registered(user, folder), NOW)
    assert seen == [os.stat(f"{folder}/gray.mdb-lock").st_size] * 2
