"""`graymatter hooks install|uninstall|run`: Claude Code's settings, and one hook by hand."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate
from gmhooks.memory.places import user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.init.install import InstallReport

EVENTS = ("session-start", "user-prompt", "pre-compact", "session-end")
VIAS = ("command", "mcp")
SCOPES = ("local", "project", "user", "global")
_WARNINGS = {
    "hooks_disabled": "Note: disableAllHooks is set in this file, so Claude Code calls no hook.",
    "pack_not_built": "Note: the folder of gmhooks is read-only, so hooks start more slowly.",
    "installed_twice": "Note: another scope holds these hooks too, so Claude Code calls them twice.",
    "mcp_server_missing": "Note: the server is not registered, so every prompt shows a failed hook: graymatter init --mcp",
    "symlink": "Note: the settings file is a link; the file it leads to was changed.",
}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.usage = (
        "graymatter hooks install|uninstall [--scope SCOPE] [--via command|mcp] [--dry-run] [--force]\n"
        "       graymatter hooks run EVENT"
    )
    parser.add_argument("action", choices=("install", "uninstall", "run"))
    parser.add_argument("event", nargs="?", metavar="EVENT", help=f"one of {', '.join(EVENTS)} (run only)")
    parser.add_argument("--scope", choices=SCOPES, help="whose settings (default: local)")
    parser.add_argument("--via", choices=VIAS, help="how prompts reach memory: a command each, or the MCP server (install)")
    parser.add_argument("--dry-run", action="store_true", help="show the change and do nothing")
    parser.add_argument("--force", action="store_true", help="also rewrite or remove entries edited by hand")


def run(args: argparse.Namespace, out: Out) -> int:
    """Carry out the action."""
    if args.action == "run":
        return _run_event(args)
    if args.event is not None:
        raise UsageFault(f"hooks {args.action} takes no event")
    return _settle(args, out)


def refusal_fault(report: InstallReport) -> Fault:
    """The Fault that tells why a settings file was left alone."""
    return Fault(report.reason or "refused", report.message)


def note_warnings(report: InstallReport, out: Out) -> None:
    """Tell what a person should know beside the outcome."""
    for code in report.warnings:
        out.note(_WARNINGS.get(code, f"Note: {code}"))


def _run_event(args: argparse.Namespace) -> int:
    """Become the hook, exactly as the launcher does; never returns."""
    from gmhooks.init.launcher import interpreter, shim

    if args.event not in EVENTS:
        raise UsageFault(f"hooks run takes one of {', '.join(EVENTS)}")
    python = interpreter()
    os.execv(python, [python, "-I", "-S", shim(), f"--user-dir={user_dir(os.environ)}", args.event])


def _warn_without_server(via: str | None, root: str, report: InstallReport) -> None:
    from gmhooks.init.mcp_entry import registered

    if via == "mcp" and not report.refused and not registered(root):
        report.warnings.append("mcp_server_missing")


def _settle(args: argparse.Namespace, out: Out) -> int:
    from gmhooks.init.install import install, uninstall

    scope, root, own = args.scope or "local", locate(args).root, user_dir(os.environ)
    if args.action == "install":
        report = install(scope, root, own, dry_run=args.dry_run, force=args.force, via=args.via)
        _warn_without_server(args.via, root, report)
    elif args.via is not None:
        raise UsageFault("--via says how to install", then="leave it out")
    else:
        report = uninstall(scope, root, own, dry_run=args.dry_run, force=args.force)
    if report.refused:
        fault = refusal_fault(report)
        if out.as_json:
            fault.details = report.to_json()
        raise fault
    lines = [("Would do: " if args.dry_run else "") + shown(report.message)]
    lines += [shown(line) for line in report.diff.splitlines()]
    out.confirm({"status": report.outcome, **report.to_json()}, lines)
    note_warnings(report, out)
    return DONE
