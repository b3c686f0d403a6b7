"""The per-user directory: trust registry, launcher, ledger of what we wrote, backups, reports."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Mapping

from gmhooks.memory.errors import NoDirectory
from gmhooks.store.errors import StoreDenied, StoreError

_BELOW_HOME = ".local/share/gmhooks"
_KINDS = {stat.S_IFREG: "a file", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}


class NoHome(Exception):
    """HOME names no absolute path, and the account has no home directory."""


def home(environ: Mapping[str, str]) -> str:
    """The user's home directory: HOME when it is absolute, else the account's. NoHome when there is neither."""
    named = environ.get("HOME", "")
    if os.path.isabs(named):
        return named
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise NoHome(f"{home_remark(environ)}, and the account {os.getuid()} has no home directory") from None


def home_remark(environ: Mapping[str, str]) -> str:
    """What is wrong with HOME; nothing if it is an absolute path."""
    named = environ.get("HOME")
    if named is None:
        return "HOME is not set"
    return "" if os.path.isabs(named) else f"HOME is no absolute path ({named!r})"


def obstacle(data_dir: str) -> tuple[type[StoreError], str] | None:
    """The error that says why nothing can be looked up in a data directory, and its words; None if it can, or if there is
    nothing of that name."""
    try:
        mode = os.lstat(data_dir).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        return StoreDenied, error.strerror or str(error)
    if stat.S_ISLNK(mode):
        nowhere = "" if os.path.exists(data_dir) else " and leads nowhere"
        return NoDirectory, f"a symbolic link, which is not followed{nowhere}"
    if not stat.S_ISDIR(mode):
        return NoDirectory, f"{_KINDS.get(stat.S_IFMT(mode), 'a device')}, not a directory"
    if not os.access(data_dir, os.R_OK | os.X_OK):
        return StoreDenied, "a directory that may not be read"
    return None


def user_dir(environ: Mapping[str, str]) -> str:
    """Absolute path of the per-user directory; it need not exist yet."""
    return os.path.join(home(environ), _BELOW_HOME)


def make_user_dir(path: str) -> None:
    """Make the per-user directory, private, with its parents; keep an existing one. OSError when that fails."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.makedirs(path, 0o700, exist_ok=True)
