"""What became of one of the user's files, whatever was to be done with it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class FileReport:
    """``outcome``: created, updated, unchanged, removed, absent, refused, or preserved (edited by hand, or not ours).

    ``reason``, ``line``, ``pointer`` and ``message`` belong to a refusal. ``before`` and ``after`` are the file's bytes,
    None where there is no file."""

    path: str
    outcome: str = "unchanged"
    reason: str | None = None
    line: int | None = None
    pointer: str | None = None
    message: str = ""
    backup: str | None = None
    warnings: list[str] = field(default_factory=list)
    before: bytes | None = None
    after: bytes | None = None

    @property
    def refused(self) -> bool:
        """Whether nothing was done for a reason the user must deal with."""
        return self.outcome == "refused"

    @property
    def changed(self) -> bool:
        """Whether the file's bytes differ now (or would, in a dry run)."""
        return self.before != self.after
