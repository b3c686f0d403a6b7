"""Registering the MCP server with Claude Code, and the permission rule that lets its tools run without a question.

Both are additions to the user's JSON files at known offsets; what is there already stays byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gmhooks.init import edit, jsonc, ledger, mcp_launcher, publish, servers
from gmhooks.init.clients.claudecode import CLIENT as PROJECT
from gmhooks.init.clients.client import JSON, NAME, PREPARED_ONLY, Client, Where, stdio
from gmhooks.init.jsonc import Node
from gmhooks.init.publish import Change
from gmhooks.init.refusal import Refusal

SCOPES = ("project", "user")
RULE = f"mcp__{NAME}"
_SERVERS = "mcpServers"


@dataclass(frozen=True, slots=True)
class EntryReport:
    """What became of one addition: "created" (a new file), "updated", "unchanged", "preserved" (something else has that
    name) or "refused"; `reason` and `line` belong to a refusal."""

    path: str
    outcome: str
    message: str
    reason: str | None = None
    line: int | None = None

    @property
    def refused(self) -> bool:
        """Whether nothing was done for a reason the user must deal with."""
        return self.outcome == "refused"


def entry_path(scope: str, root: str, environ: Mapping[str, str] = os.environ) -> str:
    """The file that holds the servers of a scope. ValueError for an unknown scope."""
    if scope == "project":
        return os.path.join(root, ".mcp.json")
    if scope == "user":
        folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~")
        return os.path.join(os.path.abspath(folder), ".claude.json")
    raise ValueError(f"unknown scope {scope!r}: use one of {', '.join(SCOPES)}")


def _user_path(where: Where) -> str:
    return entry_path("user", where.root, {"CLAUDE_CONFIG_DIR": where.environ.get("CLAUDE_CONFIG_DIR") or where.home})


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
    """Write the launcher and add the server, unless one of that name is there."""
    where = Where(root, user_dir, os.path.expanduser("~"), os.environ)
    client = PROJECT if scope == "project" else USER
    report = servers.register(client, where, dry_run=True)
    if not report.refused and not dry_run:
        try:
            mcp_launcher.write(user_dir)
        except Refusal as refusal:
            return _refused(report.path, refusal)
        report = servers.register(client, where)
    message = report.message or _told(report.path, report.outcome, "the MCP server")
    return EntryReport(report.path, report.outcome, message, report.reason, report.line)


def allow(root: str, user_dir: str, *, dry_run: bool = False) -> EntryReport:
    """Let the project's local settings allow every tool of the server."""
    path = os.path.join(root, ".claude", "settings.local.json")
    seen = _Seen()

    def plan(data: bytes | None) -> bytes | None:
        doc = _Doc(data)
        permissions = doc.member(doc.root, "permissions", "object")
        allowed = doc.member(permissions, "allow", "array") if permissions is not None else None
        seen.outcome = "created" if data is None else "updated"
        if allowed is not None:
            if RULE in [jsonc.value_of(doc.text, slot.value) for slot in allowed.slots]:
                seen.outcome = "unchanged"
                return data
            return doc.encoded(edit.append(doc.text, doc.root, allowed, RULE))
        if permissions is not None:
            return doc.encoded(edit.append(doc.text, doc.root, permissions, [RULE], key="allow"))
        return doc.encoded(edit.append(doc.text, doc.root, doc.root, {"allow": [RULE]}, key="permissions"))

    try:
        return _carry_out(path, plan, user_dir, seen, f"the rule {RULE}", dry_run=dry_run, private=False)
    except Refusal as refusal:
        return _refused(path, refusal)


def registered(root: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether Claude Code knows a server of our name for this project, in a file that can be read."""
    for scope in SCOPES:
        try:
            doc = _Doc(publish.read(publish.resolve(entry_path(scope, root, environ))[0]).data)
            held = doc.member(doc.root, _SERVERS, "object")
        except (OSError, Refusal):
            continue
        if held is not None and held.find(NAME) is not None:
            return True
    return False


class _Seen:
    """What a plan met."""

    outcome = "unchanged"


class _Doc:
    """A JSON file's text, parsed; an absent or blank one counts as an empty object."""

    def __init__(self, data: bytes | None) -> None:
        self.mark, text = jsonc.decode(data or b"")
        self.text = text if text.strip(" \t\r\n") else "{}\n"
        self.root = jsonc.parse(self.text)
        if self.root.kind != "object":
            raise Refusal("not_object", "the file does not hold an object")

    def member(self, box: Node, key: str, kind: str) -> Node | None:
        """The value of a member that has this kind, None if it is absent. Raises Refusal for another kind."""
        slot = box.find(key)
        if slot is None or slot.value.kind == kind:
            return slot.value if slot is not None else None
        line = jsonc.line_of(self.text, slot.start)
        raise Refusal("wrong_type", f"{key!r} must be an {kind}", line=line, pointer=jsonc.pointer(key))

    def encoded(self, text: str) -> bytes:
        """The bytes of an edited text, which must be sound again."""
        jsonc.parse(text)
        return (self.mark + text).encode()


def _carry_out(
    path: str, plan: Callable[[bytes | None], bytes | None], user_dir: str, seen: _Seen, what: str,
    *, dry_run: bool, private: bool,
) -> EntryReport:  # fmt: skip
    def keep(change: Change) -> None:
        if change.before is not None:
            ledger.back_up(user_dir, change.target, change.before)

    if dry_run:
        publish.preview(path, plan)
    else:
        publish.replace(path, plan, mode=0o600 if private else 0o644, before_swap=keep)
    return EntryReport(path, seen.outcome, _told(path, seen.outcome, what))


def _told(path: str, outcome: str, what: str) -> str:
    words = {
        "created": f"{what} is registered in it, a new file",
        "updated": f"{what} is registered in it",
        "unchanged": f"{what} is there already",
        "preserved": f"another server is called {NAME} there; it is kept as it is",
    }
    return f"{path}: {words[outcome]}"


def _refused(path: str, refusal: Refusal) -> EntryReport:
    return EntryReport(path, "refused", refusal.sentence(path), refusal.code, refusal.line)
