"""Where a verb works: the project's route and its memory."""

from __future__ import annotations

import argparse
import os
import posix
from shlex import quote

from gmhooks.cli.errors import Fault, UsageFault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.program import runnable
from gmhooks.hooks.route import DIRECTORY, Route, RouteError, for_cli, prepared
from gmhooks.memory.api import Memory
from gmhooks.memory.former import adopting, former_id
from gmhooks.memory.places import NoHome, home, user_dir
from gmhooks.store.errors import StoreError
from gmhooks.store.namespaces import SHARED


def locate(args: argparse.Namespace) -> Route:
    """The route of the current directory, with `--dir` moving only the store. Where the current directory is no project,
    a `--dir` that names the data directory of a prepared project stands for that project. RouteError; Fault when there is
    no such directory, or when `--dir` names a project instead of its data directory."""
    try:
        here = os.getcwd()
    except OSError:
        raise Fault("no_directory", "the current directory is gone", then="change to your project") from None
    named = None if args.dir is None else os.path.join(here, args.dir)
    if named is not None and not prepared(named) and prepared(named.rstrip("/") + DIRECTORY):
        then = f"--dir {quote(named.rstrip('/') + DIRECTORY)}"
        raise Fault("store_missing", "--dir names a project, not its data directory", where=named, then=then)
    try:
        return for_cli(here, args.dir, _environ())
    except RouteError as error:
        project, _, name = os.path.realpath(named or "").rpartition("/")
        if error.code != "not_a_project" or f"/{name}" != DIRECTORY or not prepared(f"{project}/{name}"):
            raise
        return for_cli(project or "/", named, _environ())


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


def is_known(memory: Memory, agent_id: str) -> bool:
    """Whether anything is stored, or waits to be, under an agent id; False for a text that is none."""
    overview = memory.overview()
    if overview is not None and any(count.agent_id == agent_id for count in overview.namespaces):
        return True
    try:
        return bool(memory.list(agent_id, retired=True, limit=1))
    except ValueError:
        return False


def require_known(memory: Memory, agent_id: str, route: Route, what: str, then: str) -> None:
    """UsageFault for an agent id that is mistyped: not this project's, and nothing is stored under it."""
    if agent_id not in (route.agent_id, SHARED) and not is_known(memory, agent_id):
        told = f"nothing is stored under the agent id {shown(agent_id)!r}, {what}"
        raise UsageFault(told, then=f"graymatter agents lists the ids{then}")


def note_former(route: Route, out: Out) -> None:
    """Say under which other id this store holds facts when it has none of this project's, and how to take them over."""
    try:
        former = former_id(memory_of(route).overview(), route.agent_id)
    except StoreError:
        return  # the verb itself says what is wrong with the store
    if former is not None:
        held = f"This store holds {counted(former.live, 'fact')} under {former.agent_id}, none under {route.agent_id}"
        out.note(runnable(f"{held}. If that is this project's former name: {adopting(route, former)}"))
