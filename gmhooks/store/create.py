"""Cold: prepare a project's data directory: everything in it, with its modes, and trust in it."""

from __future__ import annotations

import os

from gmhooks.store.birth import give_birth
from gmhooks.store.env import open_read, translate
from gmhooks.store.errors import StoreBusy, StoreDamaged
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.spool import FOLDER as SPOOL
from gmhooks.store.trust import register, registered

MARKER = "MEMORY.md"
_MARKER_TEXT = """\
# Project memory

This folder is the local memory of gmhooks for this project. Facts live in `gray.mdb`, next to it lie saves on their way
(`spool/`), session state and logs. Nothing in here is meant for version control. `graymatter --help` lists what you can do.
"""
_FILES = {MARKER: _MARKER_TEXT, ".gitignore": "*\n", "state": "", "access.log": "", "hooks.log": "", "hooks.conf": ""}
_LOCK_TRIES = (500, 0.01)


def prepare(folder: str, user_dir: str) -> bool:
    """Make the data directory whole: missing files are added, existing ones kept. True if anything was made. A store that
    was there before and is not trusted stays so (`graymatter trust`). StoreError or OSError when it cannot be done."""
    made = _make_folder(folder)
    made |= _make_folder(f"{folder}/{SPOOL}")
    for name, text in _FILES.items():
        made |= _make_file(f"{folder}/{name}", text)
    lock = try_lock(folder, *_LOCK_TRIES)
    if lock is None:
        raise StoreBusy(f"{folder}: another process is writing; try again")
    try:
        born = give_birth(folder)
    finally:
        unlock(lock)
    if born:
        _vouch(folder, user_dir)
    return made or born


def _vouch(folder: str, user_dir: str) -> None:
    """Trust the store that was just made; one that cannot be vouched for goes again, for the next attempt to make it."""
    try:
        register(user_dir, folder, store_id(folder))
    except BaseException:
        os.unlink(f"{folder}/{DATA_NAME}")
        raise


def store_id(folder: str) -> str:
    """The random id of a data directory's store. StoreError when it cannot be opened."""
    store = open_read(folder)
    try:
        return store.identity.store_id
    finally:
        store.close()


def trusted(folder: str, user_dir: str) -> bool:
    """Whether hooks may use this store: its path and id are in the user's registry."""
    known = registered(user_dir, folder)
    return known is not None and known == store_id(folder)


def refuse_link(path: str) -> None:
    """StoreDamaged for a symbolic link: a repository could bring one that leads to another folder of the user."""
    if os.path.islink(path):
        raise StoreDamaged(f"{path}: a symbolic link, which is not followed; put a directory of its own in its place")


def _make_folder(path: str) -> bool:
    refuse_link(path)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise StoreDamaged(f"{path}: not a directory; move it away and try again") from None
        return False
    except OSError as error:
        raise translate(error, path) from None
    os.chmod(path, 0o700)
    return True


def _make_file(path: str, text: str) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        os.fchmod(fd, 0o600)
        file.write(text)
    return True
