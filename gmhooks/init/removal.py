"""Taking out of a project, and of this user's files, whatever our commands put there; facts are never touched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS
from gmhooks.init import mcp_entry, rule
from gmhooks.init.clients.client import CLAUDE_MD, Client, Where
from gmhooks.init.context_file import AGENTS, spelled
from gmhooks.init.install import SCOPES, uninstall
from gmhooks.init.instruct import Wish, settle
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import unregister

REMOVED, PRESERVED, ABSENT, FAILED = "removed", "preserved", "absent", "failed"


@dataclass(frozen=True, slots=True)
class Leftover:
    """One thing of ours in one file. ``status``: removed, preserved (edited by hand), absent or failed."""

    id: str
    path: str
    status: str
    error_code: str | None = None
    message: str = ""
    before: bytes | None = None
    after: bytes | None = None
    diff: str = ""
    warnings: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """The documented keys."""
        return {"id": self.id, "path": self.path, "status": self.status, "error_code": self.error_code}


def remove_all(
    where: Where, clients: Sequence[Client], *, everywhere: bool, named: bool, force: bool, dry_run: bool
) -> list[Leftover]:
    """Servers, instruction and context blocks, the rule for our tools, and hooks. ``everywhere``: also what serves all
    projects (user settings, instructions in the home directory); ``named``: of that only the clients' server files.
    Nothing that was edited by hand goes without ``force``."""
    found = [*_servers(where, clients, everywhere, named, force, dry_run)]
    found += _blocks(where, clients, everywhere, force, dry_run)
    if any(client.id == "claudecode" for client in clients):
        found.append(_rule(where, dry_run))
        found += _hooks(where, everywhere, force, dry_run)
    return found


def _servers(
    where: Where, clients: Sequence[Client], everywhere: bool, named: bool, force: bool, dry_run: bool
) -> Iterator[Leftover]:
    wanted = [client for client in clients if everywhere or named or not client.private]
    if everywhere and any(client.id == "claudecode" for client in clients):
        wanted.append(mcp_entry.USER)
    for client in wanted:
        report = unregister(client, where, force=force, dry_run=dry_run)
        status = FAILED if report.refused else report.outcome
        yield Leftover(
            f"mcp:{client.id}", report.path, status, report.reason, report.message, report.before, report.after
        )


def _blocks(
    where: Where, clients: Sequence[Client], everywhere: bool, force: bool, dry_run: bool
) -> Iterator[Leftover]:
    paths = [path for path in (spelled(where.root, name) for name in (CLAUDE_MD, AGENTS)) if path is not None]
    own = [client.own_file(where) for client in clients if client.own_file is not None] if everywhere else []
    seen: set[str] = set()
    for path in [*paths, *(path for path in own if os.path.lexists(path))]:
        if os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        for family in (INSTRUCTIONS, CONTEXT):
            report = settle(
                path, Wish(family, None, force=force, keep=True, beside=family == CONTEXT), where.user_dir, dry_run=dry_run
            )
            status = FAILED if report.refused else report.outcome
            yield Leftover(f"{family}:{os.path.basename(path)}", path, status, report.reason, report.message,
                           report.before, report.after)  # fmt: skip


def _hooks(where: Where, everywhere: bool, force: bool, dry_run: bool) -> Iterator[Leftover]:
    for scope in SCOPES:
        if everywhere or scope != "user":
            report = uninstall(scope, where.root, where.user_dir, dry_run=dry_run, force=force)
            status = {"refused": FAILED, "unchanged": PRESERVED}.get(report.outcome, report.outcome)
            yield Leftover(f"hooks:{scope}", report.path, status, report.reason, report.message, diff=report.diff)


def _rule(where: Where, dry_run: bool) -> Leftover:
    """The rule that lets our tools run without a question."""
    job = rule.Job(where.root, where.user_dir, remove=True)
    try:
        change = job.run(dry_run=dry_run)
    except Refusal as refusal:
        return Leftover("rule", job.path, FAILED, refusal.code, refusal.sentence(job.path))
    return Leftover("rule", job.path, job.result.outcome, None, "", change.before, change.after)
