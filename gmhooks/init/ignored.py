"""Whether git would take a file into the repository; asked of git itself, which knows all ignore files of a machine."""

from __future__ import annotations

import os
import subprocess

TRACKED, COMMITTABLE = "tracked", "committable"
_TIMEOUT_S = 20
_STATES = {b"H": TRACKED, b"S": TRACKED, b"?": COMMITTABLE}


def standing(root: str, name: str) -> str | None:
    """TRACKED, COMMITTABLE (new to git and not ignored), or None: ignored, not there, in no repository, or not told.
    `name` is relative to `root`.

    Git is told neither to write nor to run the repository's own programs.
    """
    command = ["git", "-c", "core.fsmonitor=false", "-C", root, "ls-files", "-t", "-z", "--cached", "--others"]
    try:
        done = subprocess.run(
            [*command, "--exclude-standard", "--", f":(literal){name}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _STATES.get(done.stdout[:1]) if done.returncode == 0 else None
