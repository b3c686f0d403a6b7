"""Our server in one client's file: planned on a snapshot, published atomically, recorded so that removal is exact."""

from __future__ import annotations

from gmhooks.init import ledger, publish
from gmhooks.init.clients.client import JSON, JSONC, NAME, TOML, Client, Where
from gmhooks.init.entry import ABSENT, PRESERVED, UNCHANGED, Edited, Editor, Wanted, fingerprint
from gmhooks.init.filereport import FileReport
from gmhooks.init.json_entry import JsonEditor
from gmhooks.init.ledger import Record, Trace
from gmhooks.init.publish import Change
from gmhooks.init.refusal import Refusal
from gmhooks.init.toml_entry import TomlEditor

_EDITORS: dict[str, Editor] = {
    JSON: JsonEditor(comments=False),
    JSONC: JsonEditor(comments=True),
    TOML: TomlEditor(),
}


def register(client: Client, where: Where, *, replace: bool = False, dry_run: bool = False) -> FileReport:
    """Add our server to the client's file. ``replace`` also overwrites another entry of our name; its old text is not kept
    anywhere then, it may hold a secret. The launcher must be there already."""
    return _Job(client, where, replace, remove=False).run(dry_run=dry_run)


def unregister(client: Client, where: Where, *, force: bool = False, dry_run: bool = False) -> FileReport:
    """Take it out again, unless it was changed by hand (``force``: even then)."""
    return _Job(client, where, force, remove=True).run(dry_run=dry_run)


def present(client: Client, where: Where) -> bool:
    """Whether the client's file holds a server of our name. Raises Refusal for a file that cannot be judged."""
    wanted = Wanted(client.table, NAME, {"": ""})
    data = publish.read(publish.resolve(client.path(where))[0]).data
    return _EDITORS[client.dialect].take(data, wanted, Trace()).outcome != ABSENT


class _Job:
    """One file, with the callbacks that plan and record its change."""

    def __init__(self, client: Client, where: Where, replace: bool, *, remove: bool) -> None:
        self.client = client
        self.where = where
        self.path = client.path(where)
        self.replace = replace
        self.remove = remove
        self.report = FileReport(self.path)
        self.record: Record | None = None
        self.result = Edited(None, UNCHANGED)

    def run(self, *, dry_run: bool) -> FileReport:
        """Carry it out, or only find out."""
        report = self.report
        try:
            if dry_run:
                change = publish.preview(self.path, self.plan)
            else:
                mode = 0o600 if self.client.private else 0o644
                change = publish.replace(self.path, self.plan, mode=mode, before_swap=self.keep)
        except Refusal as refusal:
            report.outcome, report.reason = "refused", refusal.code
            report.line, report.pointer = refusal.line, refusal.pointer
            report.message = refusal.sentence(self.path)
            return report
        report.outcome, report.before, report.after = self.result.outcome, change.before, change.after
        report.warnings += change.warnings
        if self.client.others is not None and self.client.others(self.where):
            report.warnings.append("two_files")
        if self.remove and not dry_run:
            self._after_removal(change)
        return report

    def plan(self, data: bytes | None) -> bytes | None:
        """Plan for `publish`."""
        self.record = ledger.load(self.where.user_dir, publish.resolve(self.path)[0])
        wanted = Wanted(
            self.client.table,
            NAME,
            self.client.entry(self.where),
            frozenset(self.record.entries if self.record else ()),
            self.replace,
            dict(self.client.extra),
        )
        editor = _EDITORS[self.client.dialect]
        trace = self.record.trace if self.record else None
        if self.remove:
            self.result = editor.take(data, wanted, trace or Trace())
        else:
            self.result = editor.put(data, wanted, trace)
        return self.result.data

    def keep(self, change: Change) -> None:
        """Keep the former bytes (not those that a replaced entry's secrets are in) and note what we are about to write."""
        as_left = self.record is not None and change.before and self.record.written == ledger.digest(change.before)
        if change.before is not None and not self.replace and not (self.remove and as_left):
            self.report.backup = ledger.back_up(self.where.user_dir, change.target, change.before)
        if change.after is None or self.remove:
            return
        old = self.record
        entries = {fingerprint(self.client.entry(self.where)), *(old.entries if old else ())}
        folders = change.folders or (old.folders if old else ())
        digest = ledger.digest(change.after)
        ledger.save(
            self.where.user_dir, Record(change.target, digest, tuple(sorted(entries)), self.result.trace, folders)
        )

    def _after_removal(self, change: Change) -> None:
        if self.result.outcome == PRESERVED:
            return
        ledger.forget(self.where.user_dir, change.target)
        if change.after is None and self.record is not None:
            publish.remove_folders(self.record.folders)
