"""The per-user directory: trust registry, launcher, ledger of what we wrote, backups, reports."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping

_BELOW_HOME = ".local/share/gmhooks"


def home(environ: Mapping[str, str]) -> str:
    """The user's home directory: HOME when it is absolute, else the account's."""
    named = environ.get("HOME", "")
    return named if os.path.isabs(named) else pwd.getpwuid(os.getuid()).pw_dir


def user_dir(environ: Mapping[str, str]) -> str:
    """Absolute path of the per-user directory; it need not exist yet."""
    return os.path.join(home(environ), _BELOW_HOME)


def make_user_dir(path: str) -> None:
    """Make the per-user directory, private, with its parents; keep an existing one. OSError when that fails."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.makedirs(path, 0o700, exist_ok=True)
