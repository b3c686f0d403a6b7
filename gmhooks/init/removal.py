"""Taking out of a project, and of this user's files, whatever our commands put there; facts are never touched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS
from gmhooks.hooks.route import DIRECTORY, prepared
from gmhooks.init import ledger, mcp_entry, publish, rule
from gmhooks.init.clients.client import CLAUDE_MD, Client, Where
from gmhooks.init.context_file import AGENTS, spelled
from gmhooks.init.install import SCOPES, uninstall
from gmhooks.init.instruct import Wish, scan_file, settle
from gmhooks.init.ledger import SPARE_PART, Record
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import unregister

REMOVED, PRESENT, PRESERVED, ABSENT = "removed", "present", "preserved", "absent"
FAILED, STUCK = "failed", "stuck"
UNWRITABLE = frozenset(("read_only", "foreign_owner", "hardlink", "locked"))
"""Refusals that come after the edit is planned: something of ours is there, and only writing is impossible."""

_BROKEN = frozenset(("half_block", "two_blocks", "nested_block", "ambiguous_marker"))


@dataclass(frozen=True, slots=True)
class Leftover:
    """One thing of ours in one file. ``status``: removed, preserved (edited by hand), absent or failed; of a look only
    present (it would be removed) or stuck: there, in a file that cannot be written."""

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
    found = [*_everything(where, clients, everywhere, named, force, dry_run)]
    return [replace(each, status=PRESENT) if each.status == REMOVED else each for each in found] if dry_run else found


def _everything(
    where: Where, clients: Sequence[Client], everywhere: bool, named: bool, force: bool, dry_run: bool
) -> list[Leftover]:
    found = [*_servers(where, clients, everywhere, named, force, dry_run)]
    spares = [record for record in ledger.listed(where.user_dir, SPARE_PART) if _belongs(record, where)]
    spares = [record for record in spares if os.path.isfile(record.path) and not os.path.islink(record.path)]
    found += _blocks(where, clients, everywhere, force, dry_run)
    found += [_spare(record, where.user_dir, force, dry_run) for record in spares]
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
    noted = [record.path for record in ledger.listed(where.user_dir, "") if _belongs(record, where)]
    paths += [path for path in noted if _has_blocks(path)]
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


def _belongs(record: Record, where: Where) -> bool:
    """Whether a file is this project's, or was given this project's facts wherever it lies."""
    return record.store == (where.data_dir or where.root + DIRECTORY) or _is_in(record.path, where.root)


def _is_in(path: str, root: str) -> bool:
    """Whether a file is this project's: below its root, and in no project of its own further down."""
    root, folder = os.path.realpath(root), os.path.dirname(os.path.realpath(path))
    while folder != root:
        above = os.path.dirname(folder)
        if above == folder or prepared(folder + DIRECTORY):
            return False
        folder = above
    return True


def _has_blocks(path: str) -> bool:
    """Whether a file holds blocks of ours, whole or broken ones."""
    try:
        return bool(scan_file(publish.read(path).data).blocks)
    except OSError:
        return False
    except Refusal as refusal:
        return refusal.code in _BROKEN


def _spare(record: Record, user_dir: str, force: bool, dry_run: bool) -> Leftover:
    """A backup beside somebody's file; one that was edited is somebody's own now."""
    name = f"backup:{os.path.basename(record.path)}"
    try:
        data = publish.read(record.path).data
        if data is not None and record.written != ledger.digest(data) and not force:
            return Leftover(name, record.path, PRESERVED)
        if not dry_run:
            if data is not None:
                os.unlink(record.path)
            ledger.forget(user_dir, record.path, SPARE_PART)
    except (OSError, Refusal) as error:
        return Leftover(name, record.path, FAILED, "io_error", f"{record.path}: io_error: {error}")
    return Leftover(name, record.path, REMOVED, before=data)


def _hooks(where: Where, everywhere: bool, force: bool, dry_run: bool) -> Iterator[Leftover]:
    for scope in SCOPES:
        if everywhere or scope != "user":
            report = uninstall(scope, where.root, where.user_dir, dry_run=dry_run, force=force)
            status = {"refused": FAILED, "unchanged": PRESERVED}.get(report.outcome, report.outcome)
            yield Leftover(f"hooks:{scope}", report.path, status, report.reason, report.message, diff=report.diff)
            if status == REMOVED and "hand_edited" in report.reports:
                yield Leftover(f"hooks:{scope}", report.path, PRESERVED)


def _rule(where: Where, dry_run: bool) -> Leftover:
    """The rule that lets our tools run without a question."""
    job = rule.Job(where.root, where.user_dir, remove=True)
    try:
        change = job.run(dry_run=dry_run)
    except Refusal as refusal:
        return Leftover("rule", job.path, FAILED, refusal.code, refusal.sentence(job.path))
    return Leftover("rule", job.path, job.result.outcome, None, "", change.before, change.after)
