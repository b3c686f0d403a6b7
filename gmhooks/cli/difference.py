"""Differences of files as people see them: the text as it is, but nothing in a line that could steer a terminal."""

from __future__ import annotations

from gmhooks.cli.out import harmless
from gmhooks.init.unified import unified


def difference(before: bytes | None, after: bytes | None, path: str) -> list[str]:
    """The lines of a unified diff of two texts (None: no file), [] if there is no difference."""
    return safe_lines(unified(before, after, path))


def safe_lines(diff: str) -> list[str]:
    """The lines of a unified diff, to be printed."""
    return [harmless(row) for row in diff.split("\n")[:-1]]
