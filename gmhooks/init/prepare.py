"""Preparing the current project: its data directory, its store, and the user's trust in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from tempfile import TemporaryFile

from gmhooks.hooks.route import DIRECTORY, Route
from gmhooks.init.own import write_own
from gmhooks.memory.access import require_room
from gmhooks.memory.errors import NoDirectory
from gmhooks.memory.places import make_user_dir
from gmhooks.store.create import prepare, trusted
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.spool import FOLDER as SPOOL
from gmhooks.store.trust import FOLDER as TRUST

GRAPH_MARKER = "kg-wanted"


@dataclass(frozen=True, slots=True)
class Preparation:
    """Outcome: "created", "already_prepared", "would_create" (dry run) or "untrusted" (a store from elsewhere)."""

    status: str
    changed: bool


def prepare_project(data_dir: str, user_dir: str, *, dry_run: bool = False) -> Preparation:
    """Make the data directory whole and trusted, or say what it is. StoreError or OSError when that cannot be done.

    A store that came from elsewhere keeps being untrusted: only its owner can vouch for it."""
    require_room(data_dir)
    _require_kinds(data_dir)
    there = os.path.lexists(os.path.join(data_dir, DATA_NAME))
    if dry_run:
        return Preparation("already_prepared" if there else "would_create", changed=False)
    if not there:
        _require_registry(user_dir)
    changed = prepare(data_dir, user_dir)
    if not trusted(data_dir, user_dir):
        return Preparation("untrusted", changed)
    return Preparation("created" if changed else "already_prepared", changed)


def _require_kinds(data_dir: str) -> None:
    """NoDirectory when the store's or the spool's name is taken by what neither can be, as a clone may bring it along."""
    for name, kind, fits in ((DATA_NAME, "regular file", os.path.isfile), (SPOOL, "directory", os.path.isdir)):
        path = os.path.join(data_dir, name)
        if os.path.lexists(path) and (os.path.islink(path) or not fits(path)):
            raise NoDirectory(f"{path}: not a {kind} of its own")


def _require_registry(user_dir: str) -> None:
    """OSError, which names the folder, unless trust can be noted: a store that nobody vouches for is of no use."""
    folder = os.path.join(user_dir, TRUST)
    make_user_dir(user_dir)
    os.makedirs(folder, 0o700, exist_ok=True)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, folder) from None


def want_graph(data_dir: str, *, dry_run: bool = False) -> bool:
    """Note that this project wants a knowledge graph, for a version that has one; whether that was new. OSError."""
    path = os.path.join(data_dir, GRAPH_MARKER)
    fresh = not os.path.lexists(path)
    if fresh and not dry_run:
        write_own(path, b"")
    return fresh


def route_here(here: str, dir_flag: str | None) -> Route:
    """The route that makes exactly this directory the project, for places that are no project by themselves."""
    root = os.path.realpath(here)
    data_dir = os.path.abspath(dir_flag) if dir_flag is not None else root.rstrip("/") + DIRECTORY
    return Route(root, data_dir, "--here")
