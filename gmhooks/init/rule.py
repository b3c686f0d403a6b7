"""The permission rule that lets our tools run without a question: in and out of a project's local settings, to the byte."""

from __future__ import annotations

import os

from gmhooks.init import edit, jsonc, ledger, publish
from gmhooks.init.clients.client import NAME
from gmhooks.init.entry import ABSENT, CREATED, REMOVED, UNCHANGED, UPDATED, Edited
from gmhooks.init.jsonc import Node
from gmhooks.init.ledger import RULE_PART, Record, Trace
from gmhooks.init.publish import Change
from gmhooks.init.refusal import Refusal

RULE = f"mcp__{NAME}"
_PATH = (("permissions", "object"), ("allow", "array"))
# What goes into the innermost container there is, by the number of those that are there.
_FIRST_OF: dict[int, tuple[str | None, object]] = {
    1: ("permissions", {"allow": [RULE]}),
    2: ("allow", [RULE]),
    3: (None, RULE),
}
_BLANK = " \t\r\n"


def path_in(root: str) -> str:
    """The file that holds the rule."""
    return os.path.join(root, ".claude", "settings.local.json")


class Job:
    """One run of `add` or `take` on a project's file, recorded so that removal is exact. `run` raises Refusal."""

    def __init__(self, root: str, user_dir: str, *, remove: bool) -> None:
        self.path = path_in(root)
        self.user_dir = user_dir
        self.remove = remove
        self.record: Record | None = None
        self.result = Edited(None, UNCHANGED)

    def run(self, *, dry_run: bool) -> Change:
        """Carry it out, or only find out; `result` tells what became of it."""
        if dry_run:
            return publish.preview(self.path, self._plan)
        change = publish.replace(self.path, self._plan, before_swap=self._keep)
        if self.remove:
            ledger.forget(self.user_dir, change.target, RULE_PART)
            if change.after is None and self.record is not None:
                publish.remove_folders(self.record.folders)
        return change

    def _plan(self, data: bytes | None) -> bytes | None:
        self.record = ledger.load(self.user_dir, publish.resolve(self.path)[0], RULE_PART)
        trace = self.record.trace if self.record is not None else Trace()
        self.result = take(data, trace) if self.remove else add(data)
        return self.result.data

    def _keep(self, change: Change) -> None:
        as_left = self.record is not None and change.before and self.record.written == ledger.digest(change.before)
        if change.before is not None and not (self.remove and as_left):
            ledger.back_up(self.user_dir, change.target, change.before)
        if change.after is not None and not self.remove:
            written = ledger.digest(change.after)
            record = Record(change.target, written, (), self.result.trace, change.folders)
            ledger.save(self.user_dir, record, RULE_PART)


def add(data: bytes | None) -> Edited:
    """With the rule as the last of the allowed ones. Raises Refusal."""
    mark, text = jsonc.decode(data or b"")
    blank = not text.strip(_BLANK)
    trace = Trace(absent=data is None, blank=None if data is None else text) if blank else Trace()
    doc = _Doc("{}\n" if blank else text)
    if doc.index is not None:
        return Edited(data, UNCHANGED)
    if not blank:
        trace = Trace({pointer: doc.text[box.start : box.end] for pointer, box in doc.boxes if not box.slots})
    key, value = _FIRST_OF[len(doc.boxes)]
    added = edit.append(doc.text, doc.root, doc.boxes[-1][1], value, key=key)
    if _Doc(added).without(trace) != doc.text:
        raise AssertionError("the edit cannot be taken back exactly; nothing was written")
    return Edited((mark + added).encode(), CREATED if data is None else UPDATED, trace)


def take(data: bytes | None, trace: Trace) -> Edited:
    """Without the rule, and without the containers this empties unless they were there before. Raises Refusal."""
    mark, text = jsonc.decode(data or b"")
    if RULE not in text:
        return Edited(data, ABSENT)
    try:
        doc = _Doc(text)
    except Refusal as refusal:
        if refusal.code in ("not_object", "wrong_type"):
            return Edited(data, ABSENT)
        raise
    if doc.index is None:
        return Edited(data, ABSENT)
    bare = doc.without(trace)
    if bare.strip(_BLANK) == "{}":
        if trace.absent:
            return Edited(None, REMOVED)
        if trace.blank is not None:
            return Edited((mark + trace.blank).encode(), REMOVED)
    return Edited((mark + bare).encode(), REMOVED)


class _Doc:
    """A parsed text with the containers on the way to the rule, outermost first, as far as they are there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = jsonc.parse(text)
        if self.root.kind != "object":
            raise Refusal("not_object", "the file does not hold an object")
        self.boxes: list[tuple[str, Node]] = [("", self.root)]
        for key, kind in _PATH:
            slot = self.boxes[-1][1].find(key)
            if slot is None:
                break
            at = self.boxes[-1][0] + jsonc.pointer(key)
            if slot.value.kind != kind:
                line = jsonc.line_of(text, slot.start)
                raise Refusal("wrong_type", f"{key!r} must be an {kind}", line=line, pointer=at)
            self.boxes.append((at, slot.value))
        allowed = self.boxes[-1][1].slots if len(self.boxes) > len(_PATH) else []
        values = [jsonc.value_of(text, slot.value) for slot in allowed]
        self.index = values.index(RULE) if RULE in values else None

    def without(self, trace: Trace) -> str:
        """The text without the rule."""
        assert self.index is not None
        index = self.index
        for at in range(len(self.boxes) - 1, -1, -1):
            pointer, box = self.boxes[at]
            if len(box.slots) > 1:
                return edit.remove(self.text, box, index)
            noted = trace.containers.get(pointer, "{}" if box is self.root else None)
            if noted is not None:
                return edit.splice(self.text, (box.start, box.end, noted))
            outer = self.boxes[at - 1][1]
            index = next(number for number, slot in enumerate(outer.slots) if slot.value is box)
        raise AssertionError("the outermost container is always replaced")
