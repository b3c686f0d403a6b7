"""The `expect` words about managed blocks in instruction files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.corpus.file_seen import SeenFile
from tests.corpus.file_words import EXPECT, when
from tests.corpus.world import BEGIN, END

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def block_lines(text: str) -> list[tuple[int, int]]:
    """First and last line number of each managed block outside code fences."""
    found, start, fence = [], None, ""
    for number, line in enumerate(text.splitlines()):
        mark = _FENCE.match(line)
        if start is None and mark:
            fence = "" if fence and mark.group(1).startswith(fence) else fence or mark.group(1)
        elif not fence and start is None and line.strip("\ufeff \t") == BEGIN:
            start = number
        elif start is not None and line.strip() == END:
            found.append((start, number))
            start = None
    return found


@EXPECT("blocks")
@when("changed", "unchanged")
def _blocks(value: int, seen: SeenFile) -> Iterator[str]:
    found = len(block_lines(_text(seen.after.data)))
    if found != value:
        yield f"expected {value}, got {found}"


@EXPECT("blocks_at_most")
def _blocks_at_most(value: int, seen: SeenFile) -> Iterator[str]:
    found = len(block_lines(_text(seen.after.data)))
    if found > value:
        yield f"expected at most {value}, got {found}"


@EXPECT("if_changed_blocks")
@when("changed")
def _if_changed_blocks(value: int, seen: SeenFile) -> Iterator[str]:
    yield from _blocks(value, seen)


@EXPECT("outside_bytes_identical")
@when("changed", "unchanged")
def _outside(_value: bool, seen: SeenFile) -> Iterator[str]:
    before, after = _outside_of(seen.before.data or b""), _outside_of(seen.after.data or b"")
    if len(before) == 1:
        if not after[0].startswith(before[0].rstrip(b"\r\n")):
            yield "the text before our new block changed"
    elif before != after:
        yield "the text around our block changed"


@EXPECT("no_unbalanced_fence")
@when("changed", "unchanged")
def _balanced(_value: Any, seen: SeenFile) -> Iterator[str]:
    if sum(bool(_FENCE.match(line)) for line in _text(seen.after.data).splitlines()) % 2:
        yield "a code fence is left open"


def _outside_of(data: bytes) -> list[bytes]:
    """The bytes before and after the first block; one piece if there is no block."""
    spans = block_lines(_text(data))
    if not spans:
        return [data]
    lines = data.splitlines(keepends=True)
    first, last = spans[0]
    return [b"".join(lines[:first]), b"".join(lines[last + 1 :])]


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
