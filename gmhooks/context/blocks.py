"""Managed blocks in Markdown: where they are, and putting one in or taking it out. Text in, text out, no I/O.

A marker is an HTML comment on a line of its own, outside code fences and longer comments. The line after the begin marker
holds a hash of the body, so that an edit by hand is seen. Everything outside the markers keeps its bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

CONTEXT, INSTRUCTIONS = "context", "instructions"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MARKER = re.compile(r"^ {0,3}<!-- graymatter:(context|instructions):(begin|end)\b[^>]*-->[ \t]*$")
_HEADER = re.compile(r"^<!-- graymatter:(?:context|instructions):sync v1((?: [a-z0-9_]+=[^ >]+)*) -->[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_COMMENT = re.compile(r"^ {0,3}<!--")
_HASH_DIGITS = 16
_LEAST_DIGITS = 8


class BlockFault(Exception):
    """The markers cannot be edited safely. `code` is a refusal's code, `line` 1-based."""

    def __init__(self, code: str, detail: str, line: int) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """One managed block: `text[start:stop]` from its begin marker to the end marker, without the line end behind it."""

    family: str
    start: int
    stop: int
    first_line: int
    last_line: int
    body: str
    facts: dict[str, str]

    @property
    def verified(self) -> bool:
        """Whether the body is the one that its hash was made of."""
        claimed = self.facts.get("sha256", "")
        return len(claimed) >= _LEAST_DIGITS and _digest(self.body).startswith(claimed)


@dataclass(slots=True)
class Scan:
    """What a text holds: its blocks in order, and the line of a code fence or comment that never ends (or None)."""

    blocks: list[Block] = field(default_factory=list)
    unclosed: int | None = None

    def of(self, family: str) -> list[Block]:
        """The blocks of one family."""
        return [block for block in self.blocks if block.family == family]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    start: int
    end: int
    text: str


def begin(family: str) -> str:
    """The begin marker."""
    return f"<!-- graymatter:{family}:begin -->"


def end(family: str) -> str:
    """The end marker."""
    return f"<!-- graymatter:{family}:end -->"


def render(family: str, body: str, **facts: object) -> str:
    """A whole block of LF lines: markers, header with the body's hash and `facts`, body. The body holds no marker."""
    values = {"sha256": _digest(body)[:_HASH_DIGITS], **facts}
    words = " ".join(f"{name}={value}" for name, value in values.items())
    return "\n".join([begin(family), f"<!-- graymatter:{family}:sync v1 {words} -->", body, end(family)])


def scan(text: str) -> Scan:
    """Find every managed block. Raises `BlockFault` for halves, nested ones, and markers that may not be markers."""
    return _Scanner().read(text)


def put(text: str, family: str, block: str) -> str:
    """Return `text` with `block` as the only one of its family: in the place of the first, else after one blank line.

    Nothing changes if it is there already. Raises `BlockFault`."""
    found = scan(text)
    mine = found.of(family)
    if len(mine) == 1 and _plain(text[mine[0].start : mine[0].stop]) == _plain(block):
        return text
    block = block.replace("\n", line_end(text))
    if not mine:
        if found.unclosed is not None:
            raise BlockFault("ambiguous_marker", "a code fence or comment begins here and never ends", found.unclosed)
        return attach(text, block)
    for extra in reversed(mine[1:]):
        text = text[: extra.start] + _after(text, extra.stop)
    return text[: mine[0].start] + block + text[mine[0].stop :]


def take(text: str, family: str) -> str:
    """Return `text` without the blocks of a family: the inverse of `put` for a block it appended. Raises `BlockFault`."""
    for block in reversed(scan(text).of(family)):
        text = cut(text, block.start, block.stop)
    return text


def attach(text: str, piece: str) -> str:
    """Return `text` with whole lines added after one blank line; the last line is ended as it was before."""
    return text + _gap(text) + piece + ("" if text and text[-1] not in "\r\n" else line_end(text))


def cut(text: str, start: int, stop: int) -> str:
    """Take out the whole lines `text[start:stop]` with one of the blank lines around them: the inverse of `attach`."""
    before, rest = text[:start], _after(text, stop)
    once = _unended(before)
    apart = _unended(once) != once
    if rest:
        return before + (rest[len(_first_end(rest)) :] if apart or not before else rest)
    if not apart:
        return before
    return once if text[stop:] else _unended(once)


def line_end(text: str) -> str:
    """The line end that most lines of `text` have; LF if it has none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda each: counts[each])


def lines(text: str) -> Iterator[str]:
    """The lines of `text` without their ends; only LF, CRLF and CR end a line."""
    return (found.group().rstrip("\r\n") for found in _LINE.finditer(text))


def _gap(text: str) -> str:
    """What makes the blank line before an appended block: one line end, two if the last line is not ended."""
    end_of_line = line_end(text)
    if not text:
        return ""
    if text[-1] not in "\r\n":
        return end_of_line * 2
    return "\r" if text[-1] == "\r" and end_of_line == "\n" else end_of_line


def _after(text: str, stop: int) -> str:
    """What follows the line that ends at `stop`."""
    rest = text[stop:]
    return rest[len(_first_end(rest)) :]


def _first_end(text: str) -> str:
    """The line end that `text` begins with, or nothing."""
    return "\r\n" if text.startswith("\r\n") else text[:1] if text[:1] in ("\r", "\n") else ""


def _unended(text: str) -> str:
    """The text without its last line end, if it has one."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(text: str) -> str:
    """The text with LF line ends and without blanks at the end of the markers' lines."""
    return "\n".join(line.rstrip() if _MARKER.match(line) or _HEADER.match(line) else line for line in lines(text))


class _Scanner:
    """One pass over one text: inside a block, a fence, a comment, or nothing."""

    def __init__(self) -> None:
        self.found = Scan()
        self.opened: _Line | None = None
        self.family = ""
        self.inner: list[_Line] = []
        self.fence = ""
        self.comment = False
        self.since = 0
        self.suspect: int | None = None

    def read(self, text: str) -> Scan:
        """Scan it all."""
        number = 0
        for number, found in enumerate(_LINE.finditer(text), 1):
            raw = found.group()
            content = raw.rstrip("\r\n")
            line = _Line(number, found.start(), found.start() + len(content), content)
            if self.opened is not None:
                self._in_block(line, self.opened)
            elif self.comment:
                self._in_comment(line)
            elif self.fence:
                self._in_fence(line)
            else:
                self._outside(line)
        if self.opened is not None:
            raise BlockFault("half_block", "this begin marker has no end marker", self.opened.number)
        if self.fence or self.comment:
            if self.suspect is not None:
                raise BlockFault("ambiguous_marker", "this marker is inside a code fence that never ends", self.suspect)
            self.found.unclosed = self.since
        return self.found

    def _outside(self, line: _Line) -> None:
        marker = _MARKER.match(line.text)
        if marker is not None:
            if marker.group(2) == "end":
                raise BlockFault("half_block", "this end marker has no begin marker before it", line.number)
            self.opened, self.family, self.inner = line, marker.group(1), []
            return
        fence = _FENCE.match(line.text)
        if fence is not None:
            self.fence, self.since, self.suspect = fence.group(1), line.number, None
        elif _COMMENT.match(line.text) and "-->" not in line.text:
            self.comment, self.since, self.suspect = True, line.number, None

    def _in_block(self, line: _Line, opened: _Line) -> None:
        marker = _MARKER.match(line.text)
        if marker is None:
            self.inner.append(line)
        elif marker.groups() == (self.family, "end"):
            self.found.blocks.append(self._block(opened, line))
            self.opened = None
        else:
            raise BlockFault("nested_block", "this marker is inside another managed block", line.number)

    def _block(self, first: _Line, last: _Line) -> Block:
        held = [line.text for line in self.inner]
        header = _HEADER.match(held[0]) if held else None
        facts = dict(word.split("=", 1) for word in header.group(1).split()) if header else {}
        body = "\n".join(held[1:] if header else held)
        return Block(self.family, first.start, last.end, first.number, last.number, body, facts)

    def _in_comment(self, line: _Line) -> None:
        if _MARKER.match(line.text):
            raise BlockFault("ambiguous_marker", "this marker is inside a longer comment", line.number)
        self.comment = "-->" not in line.text

    def _in_fence(self, line: _Line) -> None:
        if _MARKER.match(line.text):
            self.suspect = self.suspect or line.number
            return
        closing = _FENCE.match(line.text)
        if closing and closing.group(1).startswith(self.fence) and not closing.group(2).strip():
            self.fence = ""
