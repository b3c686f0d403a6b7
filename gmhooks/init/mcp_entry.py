"""Registering the MCP server with Claude Code, and the permission rule that lets its tools run without a question.

Both are additions to the user's JSON files at known offsets; what is there already stays byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from gmhooks.init import jsonc, mcp_launcher, publish, rule, servers
from gmhooks.init.clients.claudecode import CLIENT as PROJECT
from gmhooks.init.clients.client import JSON, NAME, PREPARED_ONLY, Client, Where, stdio
from gmhooks.init.install import SCOPES as HOOK_SCOPES
from gmhooks.init.install import settings_path
from gmhooks.init.refusal import Refusal
from gmhooks.init.unified import unified
from gmhooks.memory.places import home

SCOPES = ("project", "user")
REJECTED = "disabledMcpjsonServers"
_SERVERS = "mcpServers"


@dataclass(frozen=True, slots=True)
class EntryReport:
    """What became of one addition: "created" (a new file), "updated", "unchanged", "preserved" (something else has that
    name) or "refused"; `reason` and `line` belong to a refusal, `note` is what else the user should know."""

    path: str
    outcome: str
    message: str
    reason: str | None = None
    line: int | None = None
    diff: str = ""
    note: str = ""

    @property
    def refused(self) -> bool:
        """Whether nothing was done for a reason the user must deal with."""
        return self.outcome == "refused"


def _user_path(where: Where) -> str:
    return os.path.join(os.path.abspath(where.environ.get("CLAUDE_CONFIG_DIR") or where.home), ".claude.json")


USER = Client(
    id="claudecode-user",
    title="Claude Code, all projects",
    order=0,
    dialect=JSON,
    table=_SERVERS,
    path=_user_path,
    entry=lambda where: {"type": "stdio", **stdio(where.launcher(), where.options(PREPARED_ONLY))},
    private=True,
)
"""The user's own file serves every project, so the server is of use only where a project was prepared."""


def register(scope: str, root: str, user_dir: str, *, dry_run: bool = False) -> EntryReport:
    """Write the launcher and add the server, unless one of that name is there. ValueError for an unknown scope."""
    where = Where(root, user_dir, home(os.environ), os.environ)
    if scope not in SCOPES:
        raise ValueError(f"unknown scope {scope!r}: use one of {', '.join(SCOPES)}")
    client = PROJECT if scope == "project" else USER
    report = servers.register(client, where, dry_run=True)
    if not report.refused and not dry_run:
        try:
            mcp_launcher.write(user_dir)
        except Refusal as refusal:
            return _refused(report.path, refusal)
        report = servers.register(client, where)
    message = report.message or _told(report.path, report.outcome, "the MCP server")
    diff = unified(report.before, report.after, report.path)
    note = "" if report.refused else _second(client, where)
    return EntryReport(report.path, report.outcome, message, report.reason, report.line, diff, note)


def allow(root: str, user_dir: str, *, dry_run: bool = False) -> EntryReport:
    """Let the project's local settings allow every tool of the server."""
    job = rule.Job(root, user_dir, remove=False)
    try:
        change = job.run(dry_run=dry_run)
    except Refusal as refusal:
        return _refused(job.path, refusal)
    message = _told(job.path, job.result.outcome, f"the rule {rule.RULE}", "added to")
    return EntryReport(job.path, job.result.outcome, message, diff=unified(change.before, change.after, job.path))


def registered(root: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether Claude Code knows a server of our name for this project, in a file that can be read."""
    where = Where(root, "", home(environ), environ)
    for client in (PROJECT, USER):
        try:
            if servers.present(client, where):
                return True
        except (OSError, Refusal):
            continue
    return False


def rejected(root: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The settings file that tells Claude Code not to start the server of the project's `.mcp.json`, as its dialog does when
    the user declines; None if there is none, or if the server is registered for the user as well."""
    if PROJECT.known_elsewhere is not None and PROJECT.known_elsewhere(Where(root, "", home(environ), environ)):
        return None
    for scope in HOOK_SCOPES:
        path = settings_path(scope, root, environ)
        try:
            body = json.loads(jsonc.decode(publish.read(publish.resolve(path)[0]).data or b"{}")[1])
            if NAME in body.get(REJECTED, ()):
                return path
        except (OSError, ValueError, AttributeError, TypeError, RecursionError, Refusal):
            continue
    return None


def _second(client: Client, where: Where) -> str:
    """What to say when the other scope has an entry of this name too: Claude Code then uses one and warns of both."""
    other, scope = (USER, "user") if client is PROJECT else (PROJECT, "project")
    try:
        if not servers.present(other, where):
            return ""
    except (OSError, Refusal):
        return ""
    return (
        f"{other.path(where)} has a server called {NAME} as well, and Claude Code warns of conflicting scopes. "
        f"To keep the one named above: claude mcp remove {NAME} -s {scope}"
    )


def _told(path: str, outcome: str, what: str, done: str = "registered in") -> str:
    words = {
        "created": f"{what} is {done} it, a new file",
        "updated": f"{what} is {done} it",
        "unchanged": f"{what} is there already",
        "preserved": f"another server is called {NAME} there; it is kept as it is",
    }
    return f"{path}: {words[outcome]}"


def _refused(path: str, refusal: Refusal) -> EntryReport:
    return EntryReport(path, "refused", refusal.sentence(path), refusal.code, refusal.line)
