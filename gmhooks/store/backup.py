"""Cold: copies of a store that are known to be sound, and the way back to one.

They lie in `backups/` of the data directory: one a day is made after a session and the newest three of these are kept;
those that were asked for are kept until somebody removes them.
"""

from __future__ import annotations

import calendar
import os
import re
import shutil
import time
from dataclasses import dataclass

from gmhooks.store.birth import make_lock_file
from gmhooks.store.check import verify
from gmhooks.store.compact import copy_compact
from gmhooks.store.create import store_id
from gmhooks.store.env import open_read
from gmhooks.store.errors import StoreDamaged, StoreMissing, StoreUntrusted
from gmhooks.store.facts import everything
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX, check
from gmhooks.store.namespaces import listed
from gmhooks.store.records import KIND_ALIAS
from gmhooks.store.swap import held, stamp, swap, sync, workshop

FOLDER = "backups"
KEPT = 3
_DAY_S = 86_400
_TRIES = 500
_NAME = re.compile(r"(daily|asked)-(\d{8}T\d{6}Z)(?:\.(\d+))?\.mdb")


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy: where it lies, how many live facts and bytes it holds, and how it came about ("daily" or "asked")."""

    path: str
    facts: int
    size: int
    kind: str


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: the facts that count now, and where the store that counted before is kept."""

    source: str
    facts: int
    kept: str


def make(folder: str, now_s: float, kind: str = "asked") -> Backup:
    """Copy the store without free pages, verify the copy, then give it its name. StoreError when the store cannot be read or
    is not sound; OSError when there is no room."""
    backups = f"{folder}/{FOLDER}"
    with workshop(folder, "backup") as aside:
        copy = f"{aside}/{DATA_NAME}"
        with held(folder, _TRIES):
            copy_compact(folder, copy)
        facts = _sound(aside)
        os.makedirs(backups, 0o700, exist_ok=True)
        os.chmod(backups, 0o700)
        number, target = 1, f"{backups}/{kind}-{stamp(now_s)}.mdb"
        while os.path.lexists(target):
            number += 1
            target = f"{backups}/{kind}-{stamp(now_s)}.{number}.mdb"
        os.rename(copy, target)
        sync(backups)
    return Backup(target, facts, os.path.getsize(target), kind)


def daily(folder: str, now_s: float) -> Backup | None:
    """`make`, unless a daily one of the last 24 hours is there; the oldest beyond three go."""
    found = [path for path in listed_files(folder) if os.path.basename(path).startswith("daily-")]
    if found and 0 <= now_s - _time_of(found[0]) < _DAY_S:
        return None
    made = make(folder, now_s, "daily")
    for path in found[KEPT - 1 :]:
        os.unlink(path)
    return made


def listed_files(folder: str) -> list[str]:
    """Paths of the backups in a data directory, newest first."""
    try:
        names = os.listdir(f"{folder}/{FOLDER}")
    except OSError:
        return []
    dated = [(found[2], int(found[3] or 1), name) for name in names if (found := _NAME.fullmatch(name))]
    return [f"{folder}/{FOLDER}/{name}" for _, _, name in sorted(dated, reverse=True)]


def restore(folder: str, source: str, trusted_id: str | None, now_s: float) -> Restored:
    """Put a backup in the store's place; the present store is kept beside it. Only a copy of this very store is taken: its
    id must be the trusted one. StoreError when the copy is not sound, or somebody writes; nothing is changed then."""
    try:
        check(source)
    except StoreMissing:
        raise StoreMissing(f"{source}: there is no such backup") from None
    except StoreDamaged:
        raise StoreDamaged(f"{source}: truncated or no backup of a store") from None
    with held(folder, 1), workshop(folder, "restore") as aside:
        copy = f"{aside}/{DATA_NAME}"
        shutil.copyfile(source, copy)
        os.chmod(copy, 0o600)
        sync(copy)
        make_lock_file(copy + LOCK_SUFFIX)
        facts = _sound(aside)
        if store_id(aside) != trusted_id:
            raise StoreUntrusted(f"{source}: a copy of another store than the one that is trusted here")
        kept = swap(folder, copy, "replaced", now_s)
    return Restored(source, facts, kept)


def _time_of(path: str) -> float:
    found = _NAME.fullmatch(os.path.basename(path))
    return calendar.timegm(time.strptime(found[2], "%Y%m%dT%H%M%SZ")) if found else 0.0


def _sound(folder: str) -> int:
    """Number of live facts of a verified store. StoreDamaged when it is not sound."""
    problems = verify(folder)
    if problems:
        raise StoreDamaged(f"the copy is not sound: {problems[0]}")
    store = open_read(folder)
    try:
        facts = [fact for ns in listed(store) for fact in everything(store, ns)]
        return len([fact for fact in facts if fact.live and fact.kind != KIND_ALIAS])
    finally:
        store.close()
