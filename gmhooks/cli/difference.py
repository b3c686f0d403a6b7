"""Differences of files as people see them: indentation kept, nothing in a line that could steer a terminal."""

from __future__ import annotations

import difflib

from gmhooks.cli.out import shown


def difference(before: bytes | None, after: bytes | None, path: str) -> list[str]:
    """The lines of a unified diff of two texts (None: no file), [] if there is no difference."""
    old, new = ((data or b"").decode("utf-8-sig").split("\n") for data in (before, after))
    return [_line(row) for row in difflib.unified_diff(old, new, shown(path), shown(path), lineterm="")]


def _line(row: str) -> str:
    text = row[1:].lstrip(" \t")
    indent = row[: len(row) - len(text)].replace("\t", "    ")
    return indent + shown(text)
