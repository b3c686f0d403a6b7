"""The difference of a file's text before and after, in the form that `patch` reads: not a byte of a line is altered."""

from __future__ import annotations

import difflib

NOWHERE = "/dev/null"
_UNENDED = "\\ No newline at end of file\n"


def unified(before: bytes | None, after: bytes | None, path: str) -> str:
    """A unified diff of two texts (None: no file), "" if they are equal. Only LF ends a line."""
    if before == after:
        return ""
    old, new = (_lines(data) for data in (before, after))
    here, there = (NOWHERE if data is None else path for data in (before, after))
    rows = difflib.unified_diff(old, new, here, there)
    return "".join(row if row.endswith("\n") else f"{row}\n{_UNENDED}" for row in rows)


def _lines(data: bytes | None) -> list[str]:
    parts = (data or b"").decode("utf-8", "surrogateescape").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
