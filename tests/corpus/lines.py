"""Comparing two versions of a file line by line, whatever their line ends.

A JSON container that is written on one line can only grow inside that line: such a line counts as kept when what stood
before its closing brackets and what follows are both there, in order, byte for byte.
"""

from __future__ import annotations

import re

_CLOSING = re.compile(rb"\s*[\]}]")
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


def split_lines(data: bytes) -> list[tuple[bytes, bytes]]:
    """(line, line end) pairs; the last end is empty when the file does not end with one."""
    return [found.groups() for found in _LINE.finditer(data) if found.group()]  # type: ignore[misc]


def lost_line(before: bytes, after: bytes) -> bytes | None:
    """The first line of `before` that is not in `after` in order and byte for byte; None if all are.

    One line may have got a comma at its end; a container on one line may have grown before one of its closing brackets.
    """
    new = [line for line, _ in split_lines(after)]
    # For 0 and 1 commas used: how many lines of `after` are used up at least; None when impossible.
    used: list[int | None] = [0, None]
    for line, _ in split_lines(before):
        exact = [_find(new, line, start) for start in used]
        with_comma = _find(new, line + b",", used[0])
        fewest = [at for at in (exact[1], with_comma) if at is not None]
        used = [exact[0], min(fewest) if fewest else None]
        if used == [None, None]:
            return line
    return None


def added_lines(before: bytes, after: bytes) -> list[bytes]:
    """The lines of `after` that are not in `before`, a comma at the end aside."""
    old = {line.rstrip(b",") for line, _ in split_lines(before)}
    return [line for line, _ in split_lines(after) if line.rstrip(b",") not in old]


def _find(lines: list[bytes], wanted: bytes, start: int | None) -> int | None:
    if start is None:
        return None
    if wanted in lines[start:]:
        return lines.index(wanted, start) + 1
    return _find_grown(lines, wanted, start)


def _find_grown(lines: list[bytes], wanted: bytes, start: int) -> int | None:
    for bracket in _CLOSING.finditer(wanted):
        head, tail = wanted[: bracket.start()], wanted[bracket.start() :]
        if b"[" not in head and b"{" not in head:
            continue
        for first, line in enumerate(lines[start:], start):
            if line.startswith(head + b","):
                last = next((at for at in range(first, len(lines)) if lines[at].endswith(tail)), None)
                if last is not None:
                    return last + 1
    return None
