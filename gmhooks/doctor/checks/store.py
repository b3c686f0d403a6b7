"""The project's store: there, trusted, sound, private, on a file system that can hold it. Looked at in a private copy."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator

from gmhooks.doctor.clientfiles import PLUGIN
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.mounts import NETWORK, kind_of, read_table
from gmhooks.doctor.view import View
from gmhooks.hooks.breaker import DAMAGED
from gmhooks.hooks.route import prepared
from gmhooks.memory.copies import copy_store
from gmhooks.memory.guarded import suspicion
from gmhooks.memory.places import obstacle
from gmhooks.store.check import verify
from gmhooks.store.create import store_id
from gmhooks.store.errors import StoreError
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX
from gmhooks.store.trust import registered

MOST_VERIFIED = 64 << 20
_CHECKS = {
    "store_missing": ("store.missing", WARN),
    "store_damaged": ("store.damaged", FAIL),
    "schema_newer": ("store.newer", FAIL),
    "busy": ("store.busy", WARN),
    "permission": ("store.access", FAIL),
    "not_a_directory": ("store.not_a_directory", FAIL),
    "disk_full": ("store.busy", WARN),
}
_BESIDE = ("state", "hooks.log", "access.log", "hooks.conf", "MEMORY.md")
_SHARED_BITS = stat.S_IRWXG | stat.S_IRWXO


def check(view: View) -> Iterator[Finding]:
    """What keeps hooks from using the store, or makes using it unwise."""
    data_dir = view.at.route.data_dir
    found = obstacle(data_dir)
    if found is not None:
        name, state = _CHECKS[found[0].code]
        yield Finding(name, state, f"{data_dir}: {found[1]}")
        return
    if not prepared(data_dir):
        meant = any(not each.file.scope.startswith(("user", PLUGIN)) for each in view.handlers)
        next_step = "" if meant or view.at.refusal else "; to begin: graymatter init --hooks"
        yield Finding("store.missing", WARN if meant else INFO, f"{data_dir} is not prepared{next_step}")
        return
    kind = kind_of(data_dir, read_table(view.at.mounts))
    if kind in NETWORK:
        yield Finding("store.network_fs", WARN, f"{data_dir} lies on {kind}")
    if os.statvfs(data_dir).f_flag & os.ST_RDONLY:
        yield Finding("store.read_only", WARN, f"{data_dir} lies on a read-only file system: saves will fail")
    yield from _files(data_dir)
    yield from _breaker(data_dir)
    yield from _contents(view)


def _files(data_dir: str) -> Iterator[Finding]:
    try:
        folder = os.stat(data_dir)
        named = {name: os.lstat(os.path.join(data_dir, name)) for name in os.listdir(data_dir)}
    except OSError as error:
        yield Finding("store.access", FAIL, f"{data_dir}: {error.strerror}")
        return
    if folder.st_uid != os.geteuid():
        yield Finding("store.access", FAIL, f"{data_dir} belongs to user id {folder.st_uid}")
    elif folder.st_mode & _SHARED_BITS:
        yield Finding("store.access", WARN, f"{data_dir} has mode {stat.S_IMODE(folder.st_mode):04o}, not 0700")
    store = named.get(DATA_NAME)
    if store is not None and store.st_mode & _SHARED_BITS and folder.st_mode & _SHARED_BITS == 0:
        yield Finding("store.access", WARN, f"{DATA_NAME} has mode {stat.S_IMODE(store.st_mode):04o}, not 0600")
    for name in (*_BESIDE, DATA_NAME + LOCK_SUFFIX):
        status = named.get(name)
        if status is not None and (not stat.S_ISREG(status.st_mode) or status.st_nlink > 1):
            yield Finding("store.files", WARN, f"{os.path.join(data_dir, name)} is not a regular file of its own")


def _breaker(data_dir: str) -> Iterator[Finding]:
    """What the crash breaker holds against the present state of the data file."""
    found = suspicion(data_dir)
    if found is not None:
        deaths, verdict = found
        said = "a check found damage" if verdict == DAMAGED else "the check has not ended"
        yield Finding("store.suspect", FAIL if verdict == DAMAGED else WARN, f"{deaths} processes died at it; {said}")


def _contents(view: View) -> Iterator[Finding]:
    data_dir = view.at.route.data_dir
    known = registered(view.at.user_dir, data_dir)
    with tempfile.TemporaryDirectory(prefix="gmhooks-doctor-") as folder:
        try:
            copy_store(data_dir, folder)
            found = store_id(folder)
            whole = os.stat(os.path.join(folder, DATA_NAME)).st_size <= MOST_VERIFIED
            problems = verify(folder) if whole else []
        except StoreError as error:
            check, state = _CHECKS.get(error.code, ("store.damaged", FAIL))
            yield Finding(check, state, str(error).replace(folder, data_dir))
            return
        except OSError as error:
            yield Finding("store.access", FAIL, f"{data_dir}: {error.strerror}")
            return
        except ImportError as error:
            yield Finding("store.damaged", INFO, f"not looked at: this Python cannot load LMDB ({error})")
            return
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        yield Finding("store.damaged", FAIL, problems[0].replace(folder, data_dir) + more)
    if known is None:
        yield Finding("store.untrusted", FAIL, f"{data_dir} is not in the registry")
    elif known != found:
        yield Finding("store.untrusted", FAIL, f"{data_dir} holds another store than the trusted one")
    elif not problems:
        yield Finding(
            "store.damaged", OK, "sound and trusted" if whole else "opens, is trusted; too large to be verified here"
        )
