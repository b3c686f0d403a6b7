"""Where a verb works: the project's route and its memory."""

from __future__ import annotations

import argparse
import os
import posix

from gmhooks.cli.errors import Fault
from gmhooks.hooks.route import Route, for_cli
from gmhooks.memory.api import Memory
from gmhooks.memory.places import NoHome, home, user_dir
from gmhooks.store.namespaces import SHARED


def locate(args: argparse.Namespace) -> Route:
    """The route of the current directory, with `--dir` moving only the store; Fault when there is no such directory."""
    try:
        here = os.getcwd()
    except OSError:
        raise Fault("no_directory", "the current directory is gone", then="change to your project") from None
    return for_cli(here, args.dir, _environ())


def _environ() -> dict[bytes, bytes]:
    """The environment with the home directory that counts, which is not made a project by accident."""
    try:
        return {**posix.environ, b"HOME": os.fsencode(home(os.environ))}
    except NoHome:
        return posix.environ


def memory_of(route: Route) -> Memory:
    """The memory in the route's store."""
    return Memory(route.data_dir, user_dir(os.environ))


def corrected_scopes(route: Route, agent_id: str | None, *, shared: bool) -> tuple[list[str], bool]:
    """Whose facts a correction may mean, in order, and whether an id counts wherever it is found."""
    if shared:
        return [SHARED], False
    if agent_id is not None:
        return [agent_id], False
    return [route.agent_id, SHARED], True
