"""How clients start the MCP server: two lines of shell in the per-user directory, stable across upgrades.

Its text names interpreter, file and per-user directory: an entry then needs neither PATH nor a virtual environment, and the
same entry works for every member of a team.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import gmhooks
from gmhooks.init.launcher import interpreter
from gmhooks.init.own import make_own_folder, write_own
from gmhooks.init.refusal import Refusal

NAME = "gmhooks-mcp"
PORTABLE = "${HOME}/.local/share/gmhooks/" + NAME
_MODE = 0o700


def path_in(user_dir: str) -> str:
    """The launcher's path."""
    return os.path.join(user_dir, NAME)


def command(user_dir: str) -> list[str]:
    """The command that starts the lean server, without its options."""
    package = Path(gmhooks.__file__).resolve().parent
    words = [interpreter(), "-I", "-S", str(package / "mcp" / "shim.py"), f"--user-dir={user_dir}"]
    spec = find_spec("lmdb")
    if spec is not None and spec.origin is not None and Path(spec.origin).parents[1] != package.parent:
        words.append(f"--packages={Path(spec.origin).parents[1]}")
    return words


def write(user_dir: str) -> bool:
    """Write the launcher unless it is there already; whether it was written. Raises Refusal."""
    words = command(user_dir)
    if any("\n" in word or "\0" in word for word in words):
        raise Refusal("io_error", "a path holds a line end", path=path_in(user_dir))
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    wanted = os.fsencode(f'#!/bin/sh\nexec {quoted} "$@"\n')
    path = path_in(user_dir)
    if _holds(path, wanted):
        return False
    try:
        make_own_folder(user_dir)
        write_own(path, wanted, _MODE)
    except OSError as error:
        raise Refusal("io_error", f"the launcher cannot be written ({error.strerror})", path=path) from error
    return True


def _holds(path: str, wanted: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read() == wanted and os.stat(path).st_mode & 0o777 == _MODE
    except OSError:
        return False
