"""Managed blocks in people's instruction files: planned on a snapshot, published atomically, taken out to the byte."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gmhooks.context import blocks
from gmhooks.context.blocks import BlockFault, Scan
from gmhooks.init import ledger, own, publish
from gmhooks.init.filereport import FileReport
from gmhooks.init.jsonc import decode
from gmhooks.init.ledger import SPARE_PART, Record, Trace
from gmhooks.init.publish import Change
from gmhooks.init.refusal import Refusal

BACKUP_SUFFIX = ".bak"
_MODE = 0o644


@dataclass(slots=True)
class BlockReport(FileReport):
    """What became of one instruction file. ``edited``: its block was edited by hand, which ``preserved`` implies."""

    edited: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What to do with the blocks of one family: put this block in, or (None) take them out.

    ``force`` also replaces what was edited by hand; ``keep`` leaves it as it is without calling that a failure. ``beside``
    keeps the former bytes in ``<file>.bak``, otherwise they go to our own. ``store``: whose facts they are."""

    family: str
    block: str | None
    force: bool = False
    keep: bool = False
    beside: bool = False
    store: str = ""


def text_of(data: bytes | None) -> tuple[str, str]:
    """(BOM or "", text) of an instruction file. Raises Refusal for what is no text."""
    mark, text = decode(data or b"")
    if "\0" in text:
        raise Refusal("encoding", "the file holds a NUL byte, so it is no text")
    return mark, text


def scan_file(data: bytes | None) -> Scan:
    """The managed blocks of a file's bytes. Raises Refusal."""
    try:
        return blocks.scan(text_of(data)[1])
    except BlockFault as fault:
        raise Refusal(fault.code, fault.detail, line=fault.line) from None


def settle(path: str, wish: Wish, user_dir: str, *, dry_run: bool = False) -> BlockReport:
    """Bring the file's blocks to what is wished. A refusal is in the report and leaves every byte as it was."""
    job = _Job(path, wish, user_dir)
    try:
        if dry_run:
            change = publish.preview(path, job.plan, keep_twins=True)
        else:
            change = publish.replace(path, job.plan, mode=_MODE, before_swap=job.keep, keep_twins=True)
    except Refusal as refusal:
        job.report.outcome, job.report.reason, job.report.line = "refused", refusal.code, refusal.line
        job.report.message = refusal.sentence(path)
        return job.report
    return job.finished(change, dry_run=dry_run)


class _Job:
    """One file and one family, with the callbacks that plan and record the change."""

    def __init__(self, path: str, wish: Wish, user_dir: str) -> None:
        self.path = path
        self.wish = wish
        self.user_dir = user_dir
        self.report = BlockReport(path)
        self.record: Record | None = None
        self.found = False

    def plan(self, data: bytes | None) -> bytes | None:
        """Plan for `publish`."""
        self.record = ledger.load(self.user_dir, publish.resolve(self.path)[0])
        mark, text = text_of(data)
        mine = scan_file(data).of(self.wish.family)
        self.found = bool(mine)
        self.report.edited = any(not block.verified for block in mine)
        if self.report.edited and not self.wish.force:
            if self.wish.keep:
                return data
            edited = next(block for block in mine if not block.verified)
            if len(mine) > 1:
                raise Refusal("two_blocks", "there are two managed blocks, edited by hand", line=edited.first_line)
            raise Refusal("hand_edited", "the managed block was edited by hand", line=edited.first_line)
        try:
            return self._planned(data, mark, text)
        except BlockFault as fault:
            raise Refusal(fault.code, fault.detail, line=fault.line) from None

    def _planned(self, data: bytes | None, mark: str, text: str) -> bytes | None:
        if self.wish.block is None:
            bare = blocks.take(text, self.wish.family)
            ours = self.record is not None and self.record.trace.absent
            return None if self.found and not bare and ours else (mark + bare).encode() if self.found else data
        wanted = blocks.put(text, self.wish.family, self.wish.block)
        if not self.found and blocks.take(wanted, self.wish.family) != text:
            raise AssertionError("the block cannot be taken out again exactly; nothing was written")
        return (mark + wanted).encode()

    def keep(self, change: Change) -> None:
        """Keep the former bytes and note what we are about to write."""
        if change.before is not None and (self.wish.block is not None or self.report.edited):
            self.report.backup = self._back_up(change.target, change.before)
        old = self.record
        if change.after is None:
            return
        trace = old.trace if old is not None else Trace(absent=change.before is None)
        folders = change.folders or (old.folders if old is not None else ())
        ledger.save(
            self.user_dir,
            Record(
                change.target, ledger.digest(change.after), old.entries if old else (), trace, folders,
                self.wish.store or (old.store if old else ""),
            ),
        )  # fmt: skip

    def _back_up(self, target: str, data: bytes) -> str | None:
        if not self.wish.beside:
            return ledger.back_up(self.user_dir, target, data)
        path = self.path + BACKUP_SUFFIX
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
            raise Refusal("not_regular", "the backup's name is taken by something that is no regular file", path=path)
        spare = os.path.realpath(path)
        known = ledger.load(self.user_dir, spare, SPARE_PART)
        there = publish.read(spare).data
        if there not in (None, data) and (known is None or known.written != ledger.digest(there)):
            ledger.back_up(self.user_dir, spare, there)
        own.write_own(path, data, os.stat(target).st_mode & 0o777)
        ledger.save(self.user_dir, Record(spare, ledger.digest(data), store=self.wish.store), SPARE_PART)
        return path

    def finished(self, change: Change, *, dry_run: bool) -> BlockReport:
        """The report of a plan that was carried out (or shown)."""
        report = self.report
        report.before, report.after = change.before, change.after
        if self.wish.block is None:
            report.outcome = "removed" if change.needed else "preserved" if self.found else "absent"
            if not dry_run and not self._holds_ours(change.after):
                ledger.forget(self.user_dir, change.target)
                self._drop_spare(change.after)
                if change.after is None and self.record is not None:
                    publish.remove_folders(self.record.folders)
        elif change.needed:
            report.outcome = "created" if change.before is None else "updated"
        elif report.edited and self.wish.keep:
            report.outcome = "preserved"
        if report.edited:
            report.warnings.append("hand_edited")
        report.warnings += change.warnings
        return report

    def _drop_spare(self, data: bytes | None) -> None:
        """Remove the backup beside the file if it says the same as the file does now."""
        path = self.path + BACKUP_SUFFIX
        if self.wish.beside and data is not None and os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                same = file.read() == data
            if same:
                os.unlink(path)
                ledger.forget(self.user_dir, os.path.realpath(path), SPARE_PART)

    @staticmethod
    def _holds_ours(data: bytes | None) -> bool:
        return data is not None and bool(scan_file(data).blocks)
