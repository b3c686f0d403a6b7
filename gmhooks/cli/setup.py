"""Choosing clients on the command line or by the wizard, and telling what became of their files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection

from gmhooks.cli.difference import difference
from gmhooks.cli.errors import Fault, UsageFault
from gmhooks.cli.out import Out, shown
from gmhooks.hooks.route import Route
from gmhooks.init.catalogue import catalogue, chosen, picked
from gmhooks.init.clients.claudecode import CLIENT as PROJECT
from gmhooks.init.clients.client import Client, Where
from gmhooks.init.setup import PREFLIGHT, Choice, Setup
from gmhooks.memory.places import home, user_dir

_SKIPPABLE = ("claudecode", "cursor", "codex", "opencode")
_WARNINGS = {
    "hand_edited": "the block in it was edited by hand and is kept; --replace-mcp replaces it",
    "symlink": "the file is a link; the file it leads to was changed",
    "cleanup_failed": "the edit is done, but its lock file could not be removed: delete the file's .lock if it is there",
    "two_files": "the client reads a second file of this kind as well",
    "registered_elsewhere": "the server is registered for this user already, so nothing is added",
}


def add_client_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose clients."""
    parser.add_argument("-i", "--interactive", action="store_true", help="ask which clients to wire")
    parser.add_argument("--only", metavar="CLIENTS", help="wire these clients, ids with commas between")
    for name in _SKIPPABLE:
        parser.add_argument(f"--skip-{name}", action="store_true", help=f"wire all clients but {name}")
    parser.add_argument("--with-antigravity", action="store_true", help="wire all clients, Antigravity too")
    parser.add_argument("--global", dest="own_files", action="store_true", help="also instruct all your projects")
    parser.add_argument("--skip-instructions", action="store_true", help="write no instruction block")
    parser.add_argument("--replace-mcp", action="store_true", help="replace other entries of our name (with --only, -i)")
    parser.add_argument("--best-effort", action="store_true", help="a file that fails while writing is no failure")


def asked_for(args: argparse.Namespace) -> bool:
    """Whether any option asks for clients to be wired."""
    return bool(
        args.interactive or args.only is not None or args.with_antigravity or args.own_files or args.skip_instructions
        or args.replace_mcp or args.best_effort or _skipped(args)
    )  # fmt: skip


def _require_choice(args: argparse.Namespace) -> None:
    """UsageFault for options that say how clients are wired where nothing says which: that would mean all of them."""
    how = {"--global": args.own_files, "--skip-instructions": args.skip_instructions, "--best-effort": args.best_effort}
    given = [name for name, is_given in how.items() if is_given]
    if given and not (args.only is not None or args.interactive or args.with_antigravity or _skipped(args)):
        told = f"{given[0]} says how clients are wired"
        raise UsageFault(told, then="say which: --only, -i, --with-antigravity or a --skip option")


def where_of(route: Route, data_dir: str | None = None) -> Where:
    """The places of this user and this project."""
    return Where(route.root, user_dir(os.environ), home(os.environ), dict(os.environ), data_dir)


def clients_of(args: argparse.Namespace) -> list[Client]:
    """The clients that `--only` and the skip options choose. UsageFault for an unknown id, and an `--only` without any."""
    return named_clients(args.only, _skipped(args), antigravity=args.with_antigravity)


def named_clients(only: str | None, skipped: Collection[str] = (), *, antigravity: bool = True) -> list[Client]:
    """As `chosen`, but an `--only` that names nothing, as of an unset variable, is refused: it would mean all clients."""
    if only is not None and not only.strip(", "):
        raise UsageFault("--only names no client", then="give ids with commas between, or leave --only out")
    try:
        return chosen(only, skipped, antigravity=antigravity)
    except ValueError as error:
        raise UsageFault(str(error), code="unknown_client") from None


def setup_of(args: argparse.Namespace, route: Route) -> Setup | None:
    """What is to be wired; None if nothing was asked for."""
    if not asked_for(args):
        return None
    if args.replace_mcp and not (args.only or args.interactive):
        raise UsageFault("--replace-mcp replaces entries", then="say whose with --only or -i")
    _require_choice(args)
    clients = _asked() if args.interactive else clients_of(args)
    data_dir = route.data_dir if args.dir is not None else None
    choice = Choice(
        clients,
        route.agent_id,
        instructions=not args.skip_instructions,
        own_files=args.own_files,
        replace=args.replace_mcp,
    )
    return Setup(where_of(route, data_dir), choice)


def setup_fault(setup: Setup, *, best_effort: bool) -> Fault | None:
    """The failure that a setup means, None for none."""
    failed = setup.failed
    if not failed or (best_effort and setup.phase != PREFLIGHT):
        return None
    first = failed[0]
    what = "initialization incomplete" if setup.phase != PREFLIGHT else "nothing was written"
    more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return Fault(first.error_code or first.status, f"{what}: {first.message or first.path}{more}")


def setup_lines(setup: Setup, *, dry_run: bool) -> list[str]:
    """One line a file, and the differences of a dry run. Nothing where one file's refusal kept all from being written."""
    lines: list[str] = []
    if setup.failed and setup.phase == PREFLIGHT:
        return lines
    for action in setup.actions:
        if action.status != "failed":
            lines.append(("Would do: " if dry_run else "") + f"{shown(action.path)}: {action.status} ({action.id})")
            lines += difference(action.before, action.after, action.path) if dry_run else []
    return lines if dry_run else [*lines, *_first_steps(setup)]


def _first_steps(setup: Setup) -> list[str]:
    """What is left to the person once a server is in a client's file."""
    done = [action for action in setup.actions if action.kind == "mcp" and action.status != "failed"]
    fresh = {action.client for action in done if action.changed}
    titles = [client.title for client in setup.choice.clients if client.id in fresh]
    steps = [f"Start {', '.join(titles)} anew: servers are read at the start."] if titles else []
    return [*steps, "Claude Code asks there whether to use the server."] if PROJECT.id in fresh else steps


def note_setup(setup: Setup, out: Out) -> None:
    """Tell what a person should know beside the outcomes."""
    for action in setup.actions:
        for code in action.warnings:
            out.note(f"Note: {action.path}: {_WARNINGS[code]}")


def _skipped(args: argparse.Namespace) -> list[str]:
    return [name for name in _SKIPPABLE if getattr(args, f"skip_{name}")]


def _asked() -> list[Client]:
    """Ask on the terminal until the answer can be understood."""
    for number, client in enumerate(catalogue(), 1):
        sys.stderr.write(f"{number:>3}  {client.title}\n")
    while True:
        sys.stderr.write("Which clients? Numbers with commas or blanks between, 0 for none: ")
        sys.stderr.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise Fault("cancelled", "cancelled, nothing was written")
        found = picked(line)
        if found is not None:
            return found
        sys.stderr.write("That is no list of these numbers.\n")
