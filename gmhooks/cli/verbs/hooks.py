"""`graymatter hooks install|uninstall|doctor|run`: Claude Code's settings, their diagnosis, and one hook by hand."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import suppress

from gmhooks.cli.conffile import FILE, POLICIES, set_key
from gmhooks.cli.difference import safe_lines
from gmhooks.cli.errors import DONE, REFUSED, Fault, UsageFault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.cli.program import runnable
from gmhooks.hooks.route import RouteError, prepared
from gmhooks.memory.places import NoHome, user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.doctor.finding import Finding
    from gmhooks.hooks.route import Route
    from gmhooks.init.install import InstallReport

EVENTS = ("session-start", "user-prompt", "pre-compact", "session-end")
VIAS = ("command", "mcp")
SCOPES = ("local", "project", "user", "global")
ALL = "all"
POLICY_HELP = "how the facts of a prompt's block are chosen in this project"
_RUNS = 30
_ACTIONS = {
    "install": "let Claude Code call the hooks: the launcher, and one entry for each of four events in its settings",
    "uninstall": "take these entries out again, to the byte",
    "doctor": "find what keeps the hooks from working, name the remedy, measure what a prompt costs",
    "run": "be one hook, as the launcher does, with its payload on standard input",
}
_WARNINGS = {
    "not_prepared": "Note: this project is not prepared, and hooks are silent until it is: graymatter init",
    "hooks_disabled": "Note: disableAllHooks is set in this file, so Claude Code calls no hook.",
    "pack_not_built": "Note: the folder of gmhooks is read-only, so hooks start more slowly.",
    "installed_twice": "Note: another scope holds these hooks too, so Claude Code calls them twice.",
    "local_settings_committable": (
        "Note: git does not ignore .claude/settings.local.json, which is yours alone and names directories of this machine: "
        "add .claude/settings.local.json as a line to .gitignore"
    ),
    "local_settings_tracked": (
        "Note: git tracks .claude/settings.local.json, which names directories of this machine: "
        "git rm --cached .claude/settings.local.json, and add that name as a line to .gitignore"
    ),
    "mcp_server_missing": "Note: the server is not registered, so every prompt shows a failed hook: graymatter init --mcp",
    "mcp_server_rejected": "Note: the server is rejected in Claude Code: take graymatter out of disabledMcpjsonServers",
    "symlink": "Note: the settings file is a link; the file it leads to was changed.",
    "cleanup_failed": "Warning: the edit is done, but its lock file stayed behind: delete the file's .lock if it is there.",
}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.usage = (
        "graymatter hooks install|uninstall [--scope SCOPE] [--via command|mcp]\n"
        "                       [--packet-policy native|lexical] [--dry-run] [--force]\n"
        "       graymatter hooks doctor [--scope SCOPE] [--fix] [--delivery] [--runs N]\n"
        "       graymatter hooks run EVENT"
    )
    parser.epilog = "actions:\n" + "\n".join(f"  {name:<9}  {text}" for name, text in _ACTIONS.items())
    parser.add_argument("action", choices=tuple(_ACTIONS), metavar="|".join(_ACTIONS))
    parser.add_argument("event", nargs="?", metavar="EVENT", help=f"one of {', '.join(EVENTS)} (run only)")
    parser.add_argument("--scope", choices=(*SCOPES, ALL), help="whose settings (default: local; doctor: all)")
    parser.add_argument(
        "--via", choices=VIAS, help="how prompts reach memory: a command each, or the MCP server (install)"
    )
    parser.add_argument("--packet-policy", choices=POLICIES, help=f"{POLICY_HELP} (install)")
    parser.add_argument("--dry-run", action="store_true", help="show the change and do nothing")
    parser.add_argument("--force", action="store_true", help="also rewrite or remove entries edited by hand")
    parser.add_argument("--fix", action="store_true", help="repair what is ours (doctor)")
    parser.add_argument("--delivery", action="store_true", help="prove it from the newest transcript (doctor)")
    parser.add_argument("--runs", type=int, metavar="N", help=f"rounds of the measurement (doctor, default {_RUNS})")


def run(args: argparse.Namespace, out: Out) -> int:
    """Carry out the action."""
    if args.action == "run":
        return _run_event(args)
    if args.event is not None:
        raise UsageFault(f"hooks {args.action} takes no event")
    if args.action == "doctor":
        return _examine(args, out)
    if args.fix or args.delivery or args.runs is not None or args.scope == ALL:
        raise UsageFault("--fix, --delivery, --runs and --scope all belong to hooks doctor")
    return _settle(args, out)


def refusal_fault(report: InstallReport) -> Fault:
    """The Fault that tells why a settings file was left alone."""
    return Fault(report.reason or "refused", report.message)


def note_warnings(report: InstallReport, out: Out) -> None:
    """Tell what a person should know beside the outcome."""
    note_codes(report.warnings, out)


def note_codes(codes: list[str], out: Out) -> None:
    """Tell each warning in words."""
    for code in codes:
        out.note(_WARNINGS.get(code, f"Note: {code}"))


def policy_line(data_dir: str, policy: str, *, dry_run: bool) -> str:
    """The line that says which packet policy this project has now, or would have."""
    return ("Would do: " if dry_run else "") + f"packet_policy={policy} in {shown(os.path.join(data_dir, FILE))}"


def _run_event(args: argparse.Namespace) -> int:
    """Become the hook, exactly as the launcher does; returns only where no home is known."""
    from gmhooks.init.launcher import interpreter, shim

    if args.event not in EVENTS:
        raise UsageFault(f"hooks run takes one of {', '.join(EVENTS)}")
    python = interpreter()
    with suppress(NoHome):
        os.execv(python, [python, "-I", "-S", shim(), f"--user-dir={user_dir(os.environ)}", args.event])
    return DONE


def _warn_without_server(via: str | None, root: str, report: InstallReport) -> None:
    """Say so when prompts go, or (dry run) would go, to a server that Claude Code does not start."""
    from gmhooks.init.mcp_entry import registered, rejected
    from gmhooks.init.wiring import wirings

    there = {wiring.scope: wiring.via for wiring in wirings(root, user_dir(os.environ))}
    if (via or there.get(report.scope)) == "mcp" and not report.refused:
        if not registered(root):
            report.warnings.append("mcp_server_missing")
        elif rejected(root) is not None:
            report.warnings.append("mcp_server_rejected")


def _settle(args: argparse.Namespace, out: Out) -> int:
    from gmhooks.init.install import install, uninstall

    route = locate(args)
    scope, root, own = args.scope or "local", route.root, user_dir(os.environ)
    if args.packet_policy and not prepared(route.data_dir):
        raise Fault("store_missing", "this project is not prepared", where=route.data_dir, then="graymatter init --hooks")
    if args.action == "install":
        report = install(scope, root, own, dry_run=args.dry_run, force=args.force, via=args.via)
        _warn_without_server(args.via, root, report)
        if scope in ("local", "project") and not prepared(route.data_dir):
            report.warnings.append("not_prepared")
    elif args.via or args.packet_policy:
        raise UsageFault("--via and --packet-policy say how to install", then="leave them out")
    else:
        report = uninstall(scope, root, own, dry_run=args.dry_run, force=args.force)
    if report.refused:
        fault = refusal_fault(report)
        if out.as_json:
            fault.details = report.to_json()
        raise fault
    lines = [("Would do: " if args.dry_run else "") + shown(report.message)]
    lines += safe_lines(report.diff)
    answer = {"status": report.outcome, **report.to_json()}
    if args.packet_policy:
        fresh = set_key(route.data_dir, "packet_policy", args.packet_policy, dry_run=args.dry_run)
        lines.append(policy_line(route.data_dir, args.packet_policy, dry_run=args.dry_run))
        answer |= {"packet_policy": args.packet_policy, "policy_changed": fresh}
    out.confirm(answer, lines)
    note_warnings(report, out)
    return DONE


def _examine(args: argparse.Namespace, out: Out) -> int:
    """Tell every finding as it comes; with `--fix`, repair and examine once more. Fails if a check does."""
    from gmhooks.doctor.fix import repair
    from gmhooks.doctor.report import examine
    from gmhooks.doctor.view import Surroundings, View
    from gmhooks.init.install import SCOPES as EVERY

    runs = _RUNS if args.runs is None else args.runs
    if args.force or args.dry_run or args.via or args.packet_policy or runs < 0:
        raise UsageFault("hooks doctor takes no --force, --dry-run, --via or --packet-policy, and --runs of 0 or more")
    scope = "user" if args.scope == "global" else args.scope
    scopes = EVERY if scope in (None, ALL) else (scope,)
    route, refusal = _examined_place(args)
    at = Surroundings(route, user_dir(os.environ), dict(os.environ), scopes, refusal=refusal)
    if args.fix:
        for done in list(repair(View(at), list(examine(at, runs=0, with_delivery=False)))):
            _tell(done, out)
    if runs and not out.as_json and View(at).handlers:
        out.note(f"The prompt hook is measured in {counted(runs, 'round')} at the end; --runs 0 leaves that out.")
    failed = False
    for finding in examine(at, runs=runs, with_delivery=args.delivery):
        failed |= finding.state == "fail"
        _tell(finding, out)
    return REFUSED if failed else DONE


def _examined_place(args: argparse.Namespace) -> tuple[Route, str]:
    """The project, or the current directory and why it is none: the user's own settings can be examined there."""
    try:
        return locate(args), ""
    except RouteError as error:
        if error.code != "not_a_project":
            raise
        from gmhooks.init.prepare import route_here

        return route_here(os.getcwd(), args.dir), str(error)


def _tell(finding: Finding, out: Out) -> None:
    from gmhooks.doctor.report import as_lines, as_object

    if out.as_json:
        out.line(json.dumps(as_object(finding)))
    elif finding.bad or not out.quiet:
        for line in as_lines(finding):
            out.line(line[:6] + runnable(shown(line[6:])))
