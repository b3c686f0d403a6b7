"""Scanner for JSON and JSONC text that keeps the offset of everything it reads.

Values are never rebuilt from it: edits are made at the offsets (`edit.py`), so that numbers, escapes and
layout stay as the user wrote them. Strict about the grammar; the JSONC mode adds comments and trailing commas.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from gmhooks.init.refusal import Refusal

MAX_DEPTH = 200
BOM = "\ufeff"

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\r|\n")
_LITERALS = {"true": True, "false": False, "null": None}
_LONGEST_INTEGER = 18


@dataclass(slots=True)
class Slot:
    """One member or item. ``lead`` is the end of the last token or comment before it (``open``: of a comment that
    needs a line end behind it); ``comma`` is the offset of the comma that follows or None."""

    key: str | None
    start: int
    key_end: int
    value: Node
    lead: int
    open: bool
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """One value: ``text[start:end]``. ``tail`` and ``open`` are a slot's ``lead`` and ``open``, for the closing bracket."""

    kind: str
    start: int
    end: int
    slots: list[Slot] = field(default_factory=list)
    tail: int = 0
    open: bool = False

    def find(self, key: str) -> Slot | None:
        """Return the member called ``key``."""
        return next((slot for slot in self.slots if slot.key == key), None)


def decode(data: bytes) -> tuple[str, str]:
    """Return (BOM or "", text). Raises `Refusal` ``encoding`` for anything but UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]:
        raise Refusal("encoding", "the file is UTF-16 or UTF-32, not UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_of(data[: error.start].decode("utf-8", "replace"), error.start)
        raise Refusal("encoding", f"byte {error.start} is not valid UTF-8", line=line) from None
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def line_of(text: str, offset: int) -> int:
    """Return the 1-based line of ``offset``; LF, CRLF and CR end a line."""
    return 1 + sum(1 for _ in _LINE_END.finditer(text, 0, offset))


def pointer(*keys: str) -> str:
    """Return the JSON pointer of a path of keys."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def parse(text: str, *, comments: bool = False) -> Node:
    """Return the root value of ``text``. Raises `Refusal` with the line of the first fault."""
    return _Scanner(text, comments).document()


def value_of(text: str, node: Node) -> object:
    """Return the Python value of ``node``; integers of more than 18 digits become floats."""
    if node.kind == "object":
        return {slot.key: value_of(text, slot.value) for slot in node.slots}
    if node.kind == "array":
        return [value_of(text, slot.value) for slot in node.slots]
    token = text[node.start : node.end]
    if node.kind == "string":
        return json.loads(token)
    if node.kind == "literal":
        return _LITERALS[token]
    whole = len(token) <= _LONGEST_INTEGER and token.lstrip("-").isdecimal()
    return int(token) if whole else float(token)


class _Scanner:
    """One pass over one text."""

    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments
        self.at = 0
        self.path: list[str] = []
        self.open = False

    def document(self) -> Node:
        """Read the one root value and nothing after it."""
        self.skip()
        root = self.value()
        self.skip()
        if self.at < len(self.text):
            raise self.fault("there is text after the end of the document")
        return root

    def fault(self, detail: str, code: str = "invalid_json", at: int | None = None) -> Refusal:
        """Return the refusal for the place ``at`` (default: here)."""
        at = self.at if at is None else at
        return Refusal(code, detail, line=line_of(self.text, at), pointer=pointer(*self.path) or None)

    def skip(self) -> int | None:
        """Step over blanks and comments; return the end of the last comment, None without one."""
        last, self.open = None, False
        while True:
            blank = _BLANK.match(self.text, self.at)
            assert blank is not None
            self.at = blank.end()
            if not self.text.startswith("/", self.at):
                return last
            if not self.comments:
                raise self.fault("comments are not allowed in JSON")
            found = _LINE_COMMENT.match(self.text, self.at) or _BLOCK_COMMENT.match(self.text, self.at)
            if found is None:
                raise self.fault("a comment is not closed")
            last = self.at = found.end()
            self.open = found.re is _LINE_COMMENT

    def value(self) -> Node:
        """Read the value that begins here."""
        start = self.at
        first = self.text[start : start + 1]
        if first in ("{", "["):
            return self.container("object" if first == "{" else "array")
        if first == '"':
            return Node("string", start, self.string())
        number = _NUMBER.match(self.text, start)
        if number is not None:
            self.at = number.end()
            return Node("number", start, self.at)
        word = _WORD.match(self.text, start)
        if word is None:
            raise self.fault("the file ends too early" if not first else f"unexpected {first!r}")
        if word.group() not in _LITERALS:
            raise self.fault(f"{word.group()[:40]!r} is not a JSON value")
        self.at = word.end()
        return Node("literal", start, self.at)

    def string(self) -> int:
        """Step over the string that begins here; return its end."""
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.fault("a string is not closed or holds an invalid character or escape")
        self.at = found.end()
        return self.at

    def container(self, kind: str) -> Node:
        """Read an object or array with all it holds."""
        if len(self.path) >= MAX_DEPTH:
            raise self.fault(f"nested deeper than {MAX_DEPTH} levels", "too_deep")
        node = Node(kind, self.at, self.at)
        close = "}" if kind == "object" else "]"
        seen: set[str] = set()
        self.at += 1
        self.gap(node, self.at)
        while not self.text.startswith(close, self.at):
            slot = self.slot(node, seen)
            node.slots.append(slot)
            self.gap(node, slot.value.end)
            if self.text.startswith(",", self.at):
                slot.comma = self.at
                self.at += 1
                self.gap(node, self.at)
                if not self.comments and self.text.startswith(close, self.at):
                    raise self.fault("a trailing comma is not allowed in JSON", at=slot.comma)
            elif not self.text.startswith(close, self.at):
                found = self.text[self.at : self.at + 1]
                raise self.fault(f"expected ',' or {close!r}, found {found!r}" if found else "the file ends too early")
        self.at += 1
        node.end = self.at
        return node

    def gap(self, node: Node, token_end: int) -> None:
        """Skip to the next token; note where the last comment, or the token that ended at ``token_end``, ends."""
        last = self.skip()
        node.tail, node.open = (token_end if last is None else last), self.open

    def slot(self, node: Node, seen: set[str]) -> Slot:
        """Read one member of an object or one item of an array."""
        start, key = self.at, None
        lead, is_open = node.tail, node.open
        name = str(len(node.slots))
        if node.kind == "object":
            key = name = self.key(seen)
        key_end = self.at
        if key is not None:
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.fault("expected ':' after a key")
            self.at += 1
            self.skip()
        self.path.append(name)
        value = self.value()
        self.path.pop()
        return Slot(key, start, key_end, value, lead, is_open)

    def key(self, seen: set[str]) -> str:
        """Read a key that was not seen before in this object."""
        start = self.at
        if not self.text.startswith('"', start):
            found = self.text[start : start + 1]
            raise self.fault(f"expected a key in quotes, found {found!r}" if found else "the file ends too early")
        token = self.text[start : self.string()]
        key: str = json.loads(token) if "\\" in token else token[1:-1]
        if key in seen:
            self.path.append(key)
            raise self.fault(f"the key {key!r} appears twice in one object", "duplicate_key", start)
        seen.add(key)
        return key
