"""The per-user directory: trust registry, launcher, ledger of what we wrote, backups, reports."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping

_BELOW_HOME = ".local/share/gmhooks"


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


def user_dir(environ: Mapping[str, str]) -> str:
    """Absolute path of the per-user directory; it need not exist yet."""
    return os.path.join(home(environ), _BELOW_HOME)


def make_user_dir(path: str) -> None:
    """Make the per-user directory, private, with its parents; keep an existing one. OSError when that fails."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.makedirs(path, 0o700, exist_ok=True)
