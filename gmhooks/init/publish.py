"""Atomic replacement of a user's file: plan on a snapshot, compare, swap.

The new bytes are written into ``<file>.lock`` beside the real file (made exclusively, as git does) and renamed
over it after the file was seen to be still the one that was read. Links are followed, never replaced.
"""

from __future__ import annotations

import dataclasses
import errno
import os
import secrets
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

from gmhooks.init.exchange import exchange
from gmhooks.init.own import NEW_FLAGS, sync_folder, unlink_if_there, write_draft
from gmhooks.init.refusal import Refusal

Plan = Callable[[bytes | None], bytes | None]
"""Maps the file's bytes (None: no file) to the wanted ones (None: no file). Pure; may raise `Refusal`."""

_MAX_LINKS = 40
_LOCK_WAIT_S = 0.7
_LOCK_PAUSE_S = 0.02
_READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read: the bytes (None: absent) and the status that must still hold when we swap."""

    data: bytes | None
    status: os.stat_result | None

    @property
    def key(self) -> tuple[int, ...] | None:
        """Identity and version of the file, None if absent."""
        held = self.status
        return held and (held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns)

    def same_as(self, other: Snapshot) -> bool:
        """Whether both saw the same file with the same bytes."""
        return self.key == other.key and self.data == other.data


@dataclass(frozen=True, slots=True)
class Change:
    """The real file, its bytes before and after, and the folders that had to be made for it. ``untidy``: the new bytes are
    in place, but syncing the folder or removing the lock file failed afterwards."""

    target: str
    before: bytes | None
    after: bytes | None
    linked: bool
    folders: tuple[str, ...] = ()
    untidy: bool = False

    @property
    def warnings(self) -> list[str]:
        """Codes of what a person should know: ``symlink``, ``cleanup_failed``."""
        return ["symlink"] * (self.linked and self.needed) + ["cleanup_failed"] * self.untidy

    @property
    def needed(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after


def preview(path: str, plan: Plan, *, keep_twins: bool = False) -> Change:
    """Return what `replace` would do. Raises every `Refusal` that can be known without writing."""
    try:
        target, linked = resolve(path)
        snapshot = read(target)
        change = Change(target, snapshot.data, plan(snapshot.data), linked)
        if change.needed:
            _check_writable(target, linked, snapshot, keep_twins)
            _await_lock(target + ".lock", lambda lock: not os.path.lexists(lock))
    except OSError as error:
        raise _refusal_of(error, path) from error
    return change


def replace(
    path: str,
    plan: Plan,
    *,
    mode: int = 0o644,
    before_swap: Callable[[Change], None],
    keep_twins: bool = False,
) -> Change:
    """Bring the file at ``path`` to what ``plan`` wants; untouched if it is so already.

    A new file gets ``mode`` minus the umask, an old one keeps mode and owner. ``before_swap`` runs right before
    the final comparison. If the file changed meanwhile the plan is made once more. ``keep_twins``: further names of
    the file (hard links) in the same folder are given the new text too, instead of refusing. Raises `Refusal`.
    """
    change = preview(path, plan, keep_twins=keep_twins)
    if not change.needed:
        return change
    folders = _make_folders(os.path.dirname(change.target))
    done = False
    try:
        change = _locked_replace(change, folders, plan, mode, before_swap, keep_twins)
        done = change.after is not None
    except OSError as error:
        raise _refusal_of(error, path) from error
    finally:
        if not done:
            remove_folders(folders)
    return change


def resolve(path: str) -> tuple[str, bool]:
    """Follow symbolic links to the real file; return (its path, whether a link was followed)."""
    at = os.path.abspath(path)
    for hops in range(_MAX_LINKS + 1):
        try:
            held = os.lstat(at)
        except FileNotFoundError:
            if hops:
                raise Refusal("symlink_dangling", f"the link leads to {at}, which does not exist") from None
            break
        if not stat.S_ISLNK(held.st_mode):
            break
        at = os.path.join(os.path.dirname(at), os.readlink(at))
    else:
        raise Refusal("symlink_loop", "the symbolic link leads back to itself")
    folder = os.path.dirname(at)
    while not os.path.exists(folder):
        if os.path.islink(folder):
            raise Refusal("symlink_dangling", f"the link {folder} leads nowhere")
        folder = os.path.dirname(folder)
    return os.path.join(os.path.realpath(os.path.dirname(at)), os.path.basename(at)), hops > 0


def read(target: str) -> Snapshot:
    """Return bytes and status of a regular file, or the empty snapshot of an absent one."""
    try:
        held = os.lstat(target)
    except FileNotFoundError:
        return Snapshot(None, None)
    if not stat.S_ISREG(held.st_mode):
        raise Refusal("not_regular", f"{target} is not a regular file")
    try:
        descriptor = os.open(target, _READ_FLAGS)
    except PermissionError as error:
        raise Refusal("unreadable", f"it may not be read ({error.strerror})", path=target) from error
    with open(descriptor, "rb") as file:
        data = file.read()
        return Snapshot(data, os.fstat(file.fileno()))


def remove_folders(folders: tuple[str, ...]) -> None:
    """Remove those of ``folders`` (innermost first) that are empty."""
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            return


def _locked_replace(
    change: Change,
    folders: tuple[str, ...],
    plan: Plan,
    mode: int,
    before_swap: Callable[[Change], None],
    keep_twins: bool,
) -> Change:
    """Two attempts under the lock; the plan is made anew on what each of them reads."""
    lock = change.target + ".lock"
    for _ in range(2):
        descriptor = _take(lock, mode)
        swap = _Swap(lock)
        try:
            with open(descriptor, "wb") as draft:
                snapshot = read(change.target)
                fresh = Change(change.target, snapshot.data, plan(snapshot.data), change.linked, folders)
                if not fresh.needed:
                    return fresh
                _check_writable(change.target, change.linked, snapshot, keep_twins)
                write_draft(draft, fresh.after or b"", mode, snapshot.status)
            before_swap(fresh)
            swap.run(fresh, snapshot)
        finally:
            swap.clear()
        if swap.done:
            return dataclasses.replace(fresh, untidy=swap.untidy)
    raise Refusal("changed_underneath", "another program keeps changing the file")


class _Swap:
    """Draft (in the lock file) and file change places. Whatever comes out of the file's place is looked at before it goes: a
    version that appeared after the last look is put back. ``done``: the new bytes are in place."""

    def __init__(self, lock: str) -> None:
        self.lock = lock
        self.held = True
        self.done = False
        self.untidy = False

    def run(self, change: Change, snapshot: Snapshot) -> None:
        """Do it if the file is still the one of ``snapshot``."""
        if not read(change.target).same_as(snapshot):
            return
        twins = _twins(change.target, snapshot)
        if change.after is None:
            self.done = self._taken_away(change.target, snapshot)
        elif snapshot.status is None:
            self.done = self._put_where_none_is(change.target)
        else:
            self.done = self._exchanged(change.target, snapshot)
        for twin in twins if self.done else ():
            _follow(twin, change)
        try:
            sync_folder(os.path.dirname(change.target))
        except OSError:
            self.untidy = True

    def clear(self) -> None:
        """Remove the lock file, unless it has become the file."""
        if self.held:
            try:
                unlink_if_there(self.lock)
            except OSError:
                self.untidy = True

    def _taken_away(self, target: str, snapshot: Snapshot) -> bool:
        """Remove the file by way of the lock's name."""
        os.rename(target, self.lock)
        if read(self.lock).same_as(snapshot):
            return True
        self._put_where_none_is(target)
        return False

    def _put_where_none_is(self, target: str) -> bool:
        """Give the file of the lock its place unless somebody made one meanwhile."""
        try:
            os.link(self.lock, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP):
                raise
            self._rename(target)  # a file system without hard links
        return True

    def _exchanged(self, target: str, snapshot: Snapshot) -> bool:
        """Let the two change places until what comes out is what was known to be in; whether the draft is in then."""
        looked, expected = 0, snapshot
        while True:
            going_in = read(self.lock)
            try:
                if not exchange(self.lock, target):
                    self._rename(target)
                    return True
            except FileNotFoundError:
                return False  # it is gone: nothing newer can be lost
            if read(self.lock).same_as(expected):
                return not looked
            looked, expected = looked + 1, going_in

    def _rename(self, target: str) -> None:
        os.rename(self.lock, target)
        self.held = False


def _twins(target: str, snapshot: Snapshot) -> list[str]:
    """The other names of the file that lie beside it."""
    held = snapshot.status
    if held is None or held.st_nlink < 2:
        return []
    with os.scandir(os.path.dirname(target)) as entries:
        return [
            entry.path
            for entry in entries
            if entry.inode() == held.st_ino and entry.path != target and not entry.is_symlink()
        ]


def _follow(twin: str, change: Change) -> None:
    """Make another name of the file mean the new one, in one step."""
    if change.after is None:
        os.unlink(twin)
        return
    draft = f"{twin}.{secrets.token_hex(4)}.new"
    os.link(change.target, draft)
    os.rename(draft, twin)


def _take(lock: str, mode: int) -> int:
    """Make the lock file and return its descriptor."""
    taken: list[int] = []

    def made(path: str) -> bool:
        try:
            taken.append(os.open(path, NEW_FLAGS, mode))
        except FileExistsError:
            return False
        return True

    _await_lock(lock, made)
    return taken[0]


def _await_lock(lock: str, free: Callable[[str], bool]) -> None:
    """Wait a moment until ``free``; a lock that stays is somebody's and is never removed."""
    end = time.monotonic() + _LOCK_WAIT_S
    while not free(lock):
        if time.monotonic() >= end:
            raise Refusal("locked", f"the lock file {lock} exists")
        time.sleep(_LOCK_PAUSE_S)


def _check_writable(target: str, linked: bool, snapshot: Snapshot, keep_twins: bool) -> None:
    """Refuse files that are not ours alone to rewrite. Mode bits count for root too."""
    held = snapshot.status
    if held is not None:
        if held.st_uid != os.geteuid() and (linked or os.geteuid() != 0):
            raise Refusal("foreign_owner", f"{target} belongs to another user")
        if held.st_nlink > 1 + (len(_twins(target, snapshot)) if keep_twins else 0):
            raise Refusal("hardlink", "the file has a second name (hard link) that would keep the old text")
        if not held.st_mode & stat.S_IWUSR:
            raise Refusal("read_only", "the file is read-only")
    folder = os.path.dirname(target)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    seen = os.stat(folder)
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise Refusal("read_only", f"the folder {folder} lies on a read-only file system")
    if not os.access(folder, os.W_OK | os.X_OK) or not seen.st_mode & 0o222:
        raise Refusal("read_only", f"the folder {folder} is read-only")


def _make_folders(folder: str) -> tuple[str, ...]:
    """Make the missing folders; return them, innermost first."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    try:
        for each in reversed(missing):
            os.mkdir(each)
    except OSError as error:
        remove_folders(tuple(missing))
        raise _refusal_of(error, missing[0]) from error
    return tuple(missing)


def _refusal_of(error: OSError, path: str) -> Refusal:
    """Translate what the system said."""
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Refusal("read_only", f"no permission ({error.strerror})", path=error.filename or path)
    if error.errno == errno.ELOOP:
        return Refusal("symlink_loop", "the symbolic link leads back to itself", path=path)
    return Refusal("io_error", error.strerror or str(error), path=error.filename or path)
