"""Writing files: those of ours in one step, and the draft of a new version of somebody's."""

from __future__ import annotations

import os
import secrets
import stat
from typing import BinaryIO

from gmhooks.init.refusal import Refusal

NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def write_own(path: str, data: bytes, mode: int = 0o600) -> None:
    """Write a file of ours atomically; its folder exists and belongs to us. Raises `OSError`."""
    draft = f"{path}.{secrets.token_hex(4)}.new"
    try:
        with open(os.open(draft, NEW_FLAGS, mode), "wb") as file:
            write_draft(file, data, mode)
        os.rename(draft, path)
    except BaseException:
        unlink_if_there(draft)
        raise
    sync_folder(os.path.dirname(path) or os.curdir)


def make_own_folder(path: str) -> None:
    """Make a private folder of ours (0700) with its parents. Raises `Refusal` if another user holds it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        held = os.stat(path)
        if not stat.S_ISDIR(held.st_mode):
            raise Refusal("not_regular", "this is not a folder", path=path) from None
        if held.st_uid != os.geteuid():
            raise Refusal("foreign_owner", "this folder belongs to another user", path=path) from None


def write_draft(draft: BinaryIO, data: bytes, mode: int, like: os.stat_result | None = None) -> None:
    """Give mode and owner of ``like`` if there is one, write, sync."""
    descriptor = draft.fileno()
    if like is not None:
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
            _keep_owner(descriptor, like)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
    elif mode & 0o077 == 0:
        os.fchmod(descriptor, mode)
    draft.write(data)
    draft.flush()
    os.fsync(descriptor)


def _keep_owner(descriptor: int, like: os.stat_result) -> None:
    """Give the draft the old file's owner and group; a group we are not in cannot be given and is let go."""
    try:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    except PermissionError:
        if like.st_uid != os.geteuid():
            raise


def sync_folder(folder: str) -> None:
    """Have the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def unlink_if_there(path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
