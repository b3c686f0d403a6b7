"""Where Claude Code keeps what it knows about one project: transcripts, and the notes of its own memory."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping

from gmhooks.memory.places import home

_LONGEST = 200


def config_dir(environ: Mapping[str, str]) -> str:
    """The client's own directory."""
    return os.path.abspath(environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home(environ), ".claude"))


def project_folder(root: str, config: str) -> str:
    """The client's folder for one project: the path with `-` for each UTF-16 unit that is no ASCII letter or digit. A long
    name is cut and ends in a hash that only the client makes, so it is looked up."""
    name = re.sub(r"[^A-Za-z0-9]", lambda found: "--" if found[0] > "\uffff" else "-", root)
    folder = os.path.join(config, "projects", name[:_LONGEST])
    if len(name) <= _LONGEST:
        return folder
    return next(iter(sorted(glob.glob(f"{glob.escape(folder)}-*"))), folder)


def notes_folder(root: str, config: str) -> str:
    """Where the client's own notes on a project lie."""
    return os.path.join(project_folder(root, config), "memory")
