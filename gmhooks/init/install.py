"""Installing and removing our hooks in Claude Code's settings, for one scope.

Everything is planned first; a refusal leaves the settings, the launcher and the folders as they were.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from gmhooks.context.claudecode import config_dir
from gmhooks.init import launcher, ledger, publish, settings
from gmhooks.init.ignored import standing
from gmhooks.init.ledger import Record, Trace
from gmhooks.init.publish import Change
from gmhooks.init.refusal import Refusal
from gmhooks.init.unified import unified

SCOPES = ("local", "project", "user")
_ALIASES = {"global": "user"}
LOCAL_SETTINGS = os.path.join(".claude", "settings.local.json")


@dataclass(slots=True)
class InstallReport:
    """What happened to one settings file.

    ``outcome`` is changed, unchanged or refused after an install; removed, absent, unchanged (only hand-edited
    entries are left) or refused after an uninstall. ``reason``, ``line`` and ``pointer`` belong to a refusal.
    """

    path: str
    scope: str
    outcome: str
    reason: str | None = None
    line: int | None = None
    pointer: str | None = None
    message: str = ""
    reports: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    diff: str = ""
    backup: str | None = None

    @property
    def refused(self) -> bool:
        """Whether nothing was done for a reason the user must deal with."""
        return self.outcome == "refused"

    def to_json(self) -> dict[str, object]:
        """Return the report as plain data."""
        return asdict(self)


def settings_path(scope: str, root: str | os.PathLike[str], environ: Mapping[str, str] = os.environ) -> str:
    """Return the settings file of ``scope`` (``global`` means ``user``). Raises ValueError for any other word."""
    scope = _ALIASES.get(scope, scope)
    if scope == "local":
        return os.path.join(os.path.abspath(root), LOCAL_SETTINGS)
    if scope == "project":
        return os.path.join(os.path.abspath(root), ".claude", "settings.json")
    if scope == "user":
        return os.path.join(config_dir(environ), "settings.json")
    raise ValueError(f"unknown scope {scope!r}: use one of {', '.join(SCOPES)}")


def install(
    scope: str,
    root: str | os.PathLike[str],
    user_dir: str | os.PathLike[str],
    dry_run: bool = False,
    *,
    force: bool = False,
    via: str | None = None,
) -> InstallReport:
    """Write launcher, bytecode and our four hook groups; nothing is touched that is right already.

    ``force`` also rewrites entries that were edited by hand; ``via`` says how prompts reach us (`settings.VIAS`; None:
    as they do now). Refusals are in the report; raises ValueError for an unknown scope.
    """
    job = _Job(scope, root, user_dir, force, via)
    try:
        change = publish.preview(job.path, job.plan_install)
        if dry_run:
            job.report.diff = unified(change.before, change.after, change.target)
        else:
            if launcher.write(job.user_dir):
                job.report.reports.append("launcher_written")
            if not _build_pack():
                job.report.warnings.append("pack_not_built")
            change = publish.replace(
                job.path, job.plan_install, mode=job.file_mode, before_swap=job.keep_before_install
            )
    except Refusal as refusal:
        return job.refused(refusal)
    job.report.outcome = "changed" if change.needed else "unchanged"
    if in_both_forms(job.scope, root):
        job.report.warnings.append("installed_twice")
    if job.scope == "local":
        job.report.warnings += exposed(root)
    return job.finished(change)


def uninstall(
    scope: str,
    root: str | os.PathLike[str],
    user_dir: str | os.PathLike[str],
    dry_run: bool = False,
    *,
    force: bool = False,
) -> InstallReport:
    """Take our groups out again; a file nobody else touched gets its original bytes, or goes if we made it.

    Entries edited by hand stay, and are reported, unless ``force``. The launcher stays: other projects use it.
    """
    job = _Job(scope, root, user_dir, force)
    try:
        change = publish.preview(job.path, job.plan_removal)
        if dry_run:
            job.report.diff = unified(change.before, change.after, change.target)
        else:
            change = publish.replace(
                job.path, job.plan_removal, mode=job.file_mode, before_swap=job.keep_before_removal
            )
            job.after_removal(change)
    except Refusal as refusal:
        return job.refused(refusal)
    job.report.outcome = "removed" if change.needed else "unchanged" if job.result.left else "absent"
    return job.finished(change)


def exposed(root: str | os.PathLike[str]) -> list[str]:
    """The warning that git has, or would take, the project's local settings, which name directories of this machine."""
    state = standing(os.path.abspath(root), LOCAL_SETTINGS)
    return [f"local_settings_{state}"] if state else []


def in_both_forms(scope: str, root: str | os.PathLike[str]) -> bool:
    """Whether another scope holds our hooks in the other form: Claude Code runs equal entries once, these twice."""
    for other in SCOPES:
        if (other == "project") != (scope == "project"):
            try:
                data = publish.read(publish.resolve(settings_path(other, root))[0]).data
                if settings.installed(data, None):
                    return True
            except (OSError, Refusal):
                continue
    return False


def _build_pack() -> bool:
    """Compile the hot modules and pack them; False if their folder cannot be written."""
    from gmhooks.init.bytecode import ready

    return ready()


class _Job:
    """One file in one scope, with the callbacks that plan and record its change."""

    def __init__(
        self,
        scope: str,
        root: str | os.PathLike[str],
        user_dir: str | os.PathLike[str],
        force: bool,
        via: str | None = None,
    ) -> None:
        self.via = via
        self.scope = _ALIASES.get(scope, scope)
        self.path = settings_path(scope, root)
        self.user_dir = os.path.abspath(user_dir)
        self.force = force
        self.file_mode = 0o600 if self.scope == "user" else 0o644
        self.command = None if self.scope == "project" else launcher.path_in(self.user_dir)
        self.report = InstallReport(self.path, self.scope, "refused")
        self.result = settings.Result(None)
        self.record: Record | None = None

    def _known(self) -> frozenset[str]:
        self.record = ledger.load(self.user_dir, publish.resolve(self.path)[0])
        return frozenset(self.record.entries if self.record else ())

    def plan_install(self, data: bytes | None) -> bytes | None:
        """Plan for `publish`: with our groups."""
        wanted = settings.Wanted(self.command, self._known(), self.force, self.via)
        self.result = settings.install(data, wanted, self.record.trace if self.record else None)
        return self.result.data

    def plan_removal(self, data: bytes | None) -> bytes | None:
        """Plan for `publish`: without our groups."""
        known = self._known()
        trace = self.record.trace if self.record else Trace()
        self.result = settings.remove(data, trace, known, force=self.force)
        return self.result.data

    def keep_before_install(self, change: Change) -> None:
        """Back up what is there and record what we are about to write."""
        old = self.record
        if change.before is not None:
            self.report.backup = ledger.back_up(self.user_dir, change.target, change.before)
        assert change.after is not None
        forms = [settings.handler(event, self.command, via) for event in settings.EVENTS for via in settings.VIAS]
        entries = {settings.fingerprint(form) for form in forms}
        record = Record(
            path=change.target,
            written=ledger.digest(change.after),
            entries=tuple(sorted(entries | set(old.entries if old else ()))),
            trace=self.result.trace,
            folders=change.folders or (old.folders if old else ()),
        )
        ledger.save(self.user_dir, record)

    def keep_before_removal(self, change: Change) -> None:
        """Back up a text that is not exactly the one we wrote."""
        if change.before is not None and (self.record is None or self.record.written != ledger.digest(change.before)):
            self.report.backup = ledger.back_up(self.user_dir, change.target, change.before)

    def after_removal(self, change: Change) -> None:
        """Drop the record and the folders we had made, once nothing of ours is left."""
        if not self.result.left:
            ledger.forget(self.user_dir, change.target)
            if change.after is None and self.record is not None:
                publish.remove_folders(self.record.folders)

    def refused(self, refusal: Refusal) -> InstallReport:
        """Return the report of a refusal."""
        report = self.report
        report.outcome, report.reason = "refused", refusal.code
        report.line, report.pointer = refusal.line, refusal.pointer
        report.message = refusal.sentence(self.path)
        report.backup = None
        return report

    def finished(self, change: Change) -> InstallReport:
        """Return the report of a plan that was carried out (or shown)."""
        report = self.report
        report.reports += self.result.reports
        report.warnings += self.result.warnings
        report.warnings += change.warnings
        report.message = f"{self.path}: {_WORDS[report.outcome]}"
        if "hand_edited" in report.reports:
            report.message += "; an entry that was edited by hand is kept as it is"
        return report


_WORDS = {
    "changed": "hooks installed",
    "unchanged": "nothing to change",
    "removed": "hooks removed",
    "absent": "no hooks of ours there",
}
