"""Hot, for the first write only: make the store's files, whole or not at all.

LMDB's own creation can leave a file that no later open accepts, so the store is made aside and renamed into place.
"""

from __future__ import annotations

from posix import (  # fmt: skip
    O_CLOEXEC,
    O_CREAT,
    O_EXCL,
    O_RDONLY,
    O_WRONLY,
    chmod,
    close,
    fchmod,
    fsync,
    lstat,
    mkdir,
    rename,
    rmdir,
    unlink,
    urandom,
    write,
)
from posix import open as posix_open

from gmhooks import __version__
from gmhooks.store.env import MAP_SIZE, MAX_DATABASES, MAX_READERS, translate
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import DATABASES, META, encode_path, seal
from gmhooks.store.lmdbload import load
from gmhooks.store.records import Identity, pack_identity
from gmhooks.text.tokens import ANALYZER_ID

_ASIDE = "birth"
# Real zero bytes for 510 readers: a full disk must fail here, cleanly, and not as SIGBUS in LMDB's mapping.
_LOCK_BYTES = 34_816


def give_birth(folder: str) -> bool:
    """Make the store of a prepared data directory if it has none; True if it did. Call it inside the write lock."""
    path = f"{folder}/{DATA_NAME}"
    try:
        lstat(path)
        return False
    except FileNotFoundError:
        pass
    aside = f"{folder}/{_ASIDE}"
    try:
        _clear(aside)
        mkdir(aside, 0o700)
        chmod(aside, 0o700)
        _make(f"{aside}/{DATA_NAME}")
        make_lock_file(path + LOCK_SUFFIX)
        rename(f"{aside}/{DATA_NAME}", path)
        _clear(aside)
        _sync(folder)
    except OSError as error:
        raise translate(error, path) from None
    return True


def _make(path: str) -> None:
    lmdb = load()
    make_lock_file(path + LOCK_SUFFIX)
    try:
        env = lmdb.Environment(
            encode_path(path), map_size=MAP_SIZE, subdir=False, mode=0o600, max_readers=MAX_READERS,
            max_dbs=MAX_DATABASES, lib_version=0,
        )  # fmt: skip
        try:
            with env.begin(write=True) as txn:
                for name, flags in DATABASES.items():
                    env.open_db(name, txn=txn, **flags)
                secret = int.from_bytes(urandom(8), "little") >> 1
                identity = Identity(urandom(16).hex(), secret, ANALYZER_ID, f"gmhooks {__version__}")
                txn.put(IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(identity)), db=env.open_db(META, txn=txn))
        finally:
            env.close()
    except (lmdb.Error, MemoryError) as error:
        raise translate(error, path) from None
    chmod(path, 0o600)
    _sync(path)


def make_lock_file(path: str) -> None:
    """An empty lock file with its final size and mode, unless one is there."""
    try:
        fd = posix_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        fchmod(fd, 0o600)
        write(fd, bytes(_LOCK_BYTES))
    finally:
        close(fd)


def _clear(aside: str) -> None:
    """Remove what a killed birth left."""
    for act, path in ((unlink, f"{aside}/{DATA_NAME}"), (unlink, f"{aside}/{DATA_NAME}{LOCK_SUFFIX}"), (rmdir, aside)):
        try:
            act(path)
        except FileNotFoundError:
            pass


def _sync(path: str) -> None:
    fd = posix_open(path, O_RDONLY | O_CLOEXEC)
    try:
        fsync(fd)
    finally:
        close(fd)
