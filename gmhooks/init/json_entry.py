"""A server in JSON or JSONC: spliced in at an offset, everything else byte for byte as it was."""

from __future__ import annotations

import json
import re

from gmhooks.init import edit, jsonc
from gmhooks.init.entry import ABSENT, CREATED, PRESERVED, REMOVED, UNCHANGED, UPDATED, Edited, Wanted
from gmhooks.init.jsonc import Node, Slot
from gmhooks.init.ledger import Trace
from gmhooks.init.refusal import Refusal

_BLANK = " \t\r\n"


class JsonEditor:
    """``comments``: the client reads comments and trailing commas."""

    def __init__(self, *, comments: bool) -> None:
        self.comments = comments

    def put(self, data: bytes | None, wanted: Wanted, before: Trace | None) -> Edited:
        """Add the entry, or update one of ours. Raises Refusal."""
        mark, text = jsonc.decode(data or b"")
        if not text.strip(_BLANK):
            trace = Trace(absent=data is None, blank=None if data is None else text)
            whole = {**wanted.extra, wanted.table: {wanted.name: wanted.value}}
            fresh = edit.render(whole, edit.Style(), "") + "\n"
            return Edited((mark + fresh).encode(), CREATED if data is None else UPDATED, trace)
        doc = _Doc(text, wanted, self.comments)
        trace = doc.trace(before)
        slot = doc.slot
        if slot is None:
            added = doc.appended()
            if _Doc(added, wanted, self.comments).without(trace) != text:
                raise AssertionError("the edit cannot be taken back exactly; nothing was written")
            return Edited((mark + added).encode(), UPDATED, trace)
        value = jsonc.value_of(text, slot.value)
        if value == wanted.value:
            return Edited(data, UNCHANGED, trace)
        if not wanted.replace and not wanted.is_ours(value):
            return Edited(data, PRESERVED, trace)
        replaced = edit.replace(text, doc.root, slot.value, wanted.value)
        jsonc.parse(replaced, comments=self.comments)
        return Edited((mark + replaced).encode(), UPDATED, trace)

    def take(self, data: bytes | None, wanted: Wanted, trace: Trace) -> Edited:
        """Remove the entry and what it leaves empty, unless it is not ours. Raises Refusal."""
        mark, text = jsonc.decode(data or b"")
        if not text.strip(_BLANK):
            return Edited(data, ABSENT)
        doc = _Doc(text, wanted, self.comments)
        if doc.slot is None:
            return Edited(data, ABSENT)
        if not wanted.replace and not wanted.is_ours(jsonc.value_of(text, doc.slot.value)):
            return Edited(data, PRESERVED)
        bare = doc.without(trace)
        if bare.strip(_BLANK) in ("{}", edit.render(wanted.extra, edit.Style(), "")):
            if trace.absent:
                return Edited(None, REMOVED)
            if trace.blank is not None:
                return Edited((mark + trace.blank).encode(), REMOVED)
        return Edited((mark + bare).encode(), REMOVED)


class _Doc:
    """A parsed text with the object of servers and our slot in it."""

    def __init__(self, text: str, wanted: Wanted, comments: bool) -> None:
        self.text = text
        self.wanted = wanted
        self.root = jsonc.parse(text, comments=comments)
        if self.root.kind != "object":
            raise Refusal("not_object", "the file does not hold an object")
        held = self.root.find(wanted.table)
        if held is not None and held.value.kind != "object":
            line = jsonc.line_of(text, held.start)
            detail = f"{wanted.table!r} must be an object, it is {held.value.kind}"
            raise Refusal("wrong_type", detail, line=line, pointer=jsonc.pointer(wanted.table))
        self.holder: Slot | None = held
        self.servers: Node | None = held.value if held is not None else None
        self.slot = self.servers.find(wanted.name) if self.servers is not None else None

    def trace(self, before: Trace | None) -> Trace:
        """The text of the empty containers that ours goes into; older notes where it is inside already."""
        if self.slot is not None:
            return before or Trace()
        notes = {}
        for pointer, box in (("", self.root), (jsonc.pointer(self.wanted.table), self.servers)):
            if box is not None and not box.slots:
                notes[pointer] = self.text[box.start : box.end]
        return Trace(notes)

    def appended(self) -> str:
        """The text with the entry as the last of the servers."""
        wanted = self.wanted
        if self.servers is not None:
            return self._added(self.servers, wanted.value, wanted.name)
        return self._added(self.root, {wanted.name: wanted.value}, wanted.table)

    def _added(self, box: Node, value: dict[str, object], key: str) -> str:
        """At the end; at the beginning where a comma would have to go between the last value and the comment behind it."""
        text = self.text
        indent = _indent_of_first(text, box)
        if indent is None or not _comment_behind_last(text, box):
            return edit.append(text, self.root, box, value, key=key)
        style = edit.style_of(text, self.root)
        member = json.dumps(key) + style.colon + edit.render(value, style, indent)
        return edit.splice(text, (box.start + 1, box.start + 1, style.eol + indent + member + ","))

    def without(self, trace: Trace) -> str:
        """The text without the entry, and without the containers this empties unless they were there before."""
        assert self.servers is not None
        assert self.slot is not None
        assert self.holder is not None
        if len(self.servers.slots) > 1:
            return edit.remove(self.text, self.servers, self.servers.slots.index(self.slot))
        noted = trace.containers.get(jsonc.pointer(self.wanted.table))
        if noted is not None:
            return edit.splice(self.text, (self.servers.start, self.servers.end, noted))
        if len(self.root.slots) > 1:
            return edit.remove(self.text, self.root, self.root.slots.index(self.holder))
        return edit.splice(self.text, (self.root.start, self.root.end, trace.containers.get("", "{}")))


def _comment_behind_last(text: str, box: Node) -> bool:
    """Whether the last value ends without a comma on a line that goes on with a comment."""
    last = box.slots[-1] if box.slots else None
    return last is not None and last.comma is None and _rest_of_line(text, last.value.end).lstrip().startswith("/")


def _indent_of_first(text: str, box: Node) -> str | None:
    """The blanks before the first member if it begins a line and nothing follows the bracket on its own."""
    if not box.slots or _rest_of_line(text, box.start + 1).strip():
        return None
    start = box.slots[0].start
    blank = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    return blank if not blank.strip() and start - len(blank) > box.start else None


def _rest_of_line(text: str, at: int) -> str:
    return re.split("[\r\n]", text[at:], maxsplit=1)[0]
