"""Our hook groups in Claude Code's settings: bytes in, bytes out.

Only our own groups are added, updated and removed, by splices; everything else keeps its bytes. A handler is
ours if its command's base name is the launcher's and an argument names one of our events.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from gmhooks.init import edit, jsonc
from gmhooks.init.jsonc import Node, Slot
from gmhooks.init.launcher import NAME
from gmhooks.init.ledger import Trace
from gmhooks.init.refusal import Refusal

EVENTS: dict[str, tuple[str, int]] = {
    "SessionStart": ("session-start", 5),
    "UserPromptSubmit": ("user-prompt", 5),
    "PreCompact": ("pre-compact", 5),
    "SessionEnd": ("session-end", 10),
}
"""Event key → (argument of the hook command, timeout in seconds)."""

TOOL_EVENT = "UserPromptSubmit"
TOOL = {
    "type": "mcp_tool",
    "server": "graymatter",
    "tool": "hook_user_prompt",
    "input": {field: f"${{{field}}}" for field in ("prompt", "session_id", "prompt_id", "cwd", "transcript_path")},
    "timeout": 1,
}
"""The entry of fast mode: the prompt goes to the running MCP server, no process is started."""

VIAS = ("command", "mcp")
_OUR_WORDS = frozenset(EVENTS) | frozenset(argument for argument, _ in EVENTS.values())
_PORTABLE = '"$HOME/.local/share/gmhooks/' + NAME + '" {} 2>/dev/null || :'
CURRENT, MOVED, OUTDATED, EDITED = "current", "moved", "outdated", "edited"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to install: the launcher's absolute path, or None for the portable form; older entries we may update; whether
    prompts go by "command" or "mcp" (None: as they do now)."""

    launcher: str | None
    known: frozenset[str] = frozenset()
    force: bool = False
    via: str | None = None


@dataclass(slots=True)
class Result:
    """The new bytes (None: no file), codes of what was met, and what removal will need to know."""

    data: bytes | None
    reports: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    left: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """One handler of ours: where it is and in which state."""

    event: str
    groups: Node
    group: int
    handlers: Node
    index: int
    state: str

    @property
    def node(self) -> Node:
        """The handler itself."""
        return self.handlers.slots[self.index].value


def way(text: str) -> str:
    """How prompts reach us by this settings file: one of `VIAS`."""
    return "mcp" if f'"{TOOL["tool"]}"' in text else "command"


def handler(event: str, launcher: str | None, via: str | None = None) -> dict[str, object]:
    """Return the entry for ``event``: exec form, the shell form that is silent where gmhooks is not installed, or a tool."""
    if via == "mcp" and event == TOOL_EVENT:
        return dict(TOOL)
    argument, timeout = EVENTS[event]
    if launcher is None:
        return {"type": "command", "command": _PORTABLE.format(argument), "timeout": timeout}
    return {"type": "command", "command": launcher, "args": [argument], "timeout": timeout}


def fingerprint(entry: dict[str, object]) -> str:
    """Return a hash of an entry that does not depend on the launcher's directory or the layout."""
    command = entry.get("command")
    if isinstance(command, str) and "args" in entry and _is_path(command):
        entry = {**entry, "command": os.path.basename(command)}
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def install(data: bytes | None, wanted: Wanted, before: Trace | None = None) -> Result:
    """Return ``data`` with our four groups. ``before`` is the trace of an earlier install. Raises `Refusal`."""
    mark, text = jsonc.decode(data or b"")
    blank = not text.strip(" \t\r\n")
    doc = _Doc("{}\n" if blank else text, wanted)
    trace = doc.trace(before)
    if blank:
        trace = Trace(absent=data is None, blank=None if data is None else text)
    result = Result(None, trace=trace)
    original = doc.text
    for event in EVENTS:
        doc.settle(event, result.reports)
    if _without(doc.text, trace.containers, wanted) != _without(original, trace.containers, wanted):
        raise AssertionError("the edit cannot be taken back exactly; nothing was written")
    if doc.disabled():
        result.warnings.append("hooks_disabled")
    changed = doc.text != original or blank
    result.data = (mark + doc.text).encode() if changed else data
    return result


def remove(data: bytes | None, trace: Trace, known: frozenset[str] = frozenset(), *, force: bool = False) -> Result:
    """Return ``data`` without our handlers; hand-edited ones stay unless ``force``. Raises `Refusal`."""
    mark, text = jsonc.decode(data or b"")
    if not text.strip(" \t\r\n"):
        return Result(data)
    wanted = Wanted(None, known, force)
    if not list(_Doc(text, wanted, tolerant=True).found()):
        return Result(data)
    bare = _without(text, trace.containers, wanted)
    rest = _Doc(bare, wanted, tolerant=True)
    edited = [each for each in rest.found() if each.state == EDITED]
    result = Result((mark + bare).encode(), left=len(edited), reports=["hand_edited"] if edited else [])
    if bare.strip(" \t\r\n") == "{}":
        if trace.absent:
            result.data = None
        elif trace.blank is not None:
            result.data = (mark + trace.blank).encode()
    return result


def installed(data: bytes | None, launcher: str | None, known: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return event → state of our handler in it (the last one's); events without ours are absent. Raises `Refusal`."""
    _, text = jsonc.decode(data or b"")
    if not text.strip(" \t\r\n"):
        return {}
    doc = _Doc(text, Wanted(launcher, known), tolerant=True)
    return {each.event: each.state for each in doc.found()}


def _without(text: str, containers: dict[str, str], wanted: Wanted) -> str:
    """Return ``text`` without our handlers and the containers this empties."""
    while True:
        doc = _Doc(text, wanted, tolerant=True)
        each = next((each for each in doc.found() if wanted.force or each.state != EDITED), None)
        if each is None:
            return text
        text = doc.drop(each, containers)


def _is_path(command: str) -> bool:
    """Whether a command of the exec form is one path, not a wrapper written in front of one."""
    return (command.startswith("/") or "/" not in command) and " /" not in command


def _names_us(entry: dict[str, object]) -> bool:
    """Whether the command, or a command wrapped by it, is our launcher with an argument that names an event."""
    command, arguments = entry.get("command"), entry.get("args")
    if entry.get("type") == "mcp_tool":
        return entry.get("tool") == TOOL["tool"]
    if not isinstance(command, str):
        return False
    rest = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
    if not any(NAME in each for each in (command, *rest)):
        return False
    return any(_is_call([*words, *rest]) for words in ([command], _words(command)))


def _is_call(words: list[str]) -> bool:
    for index, word in enumerate(words):
        if os.path.basename(word) == NAME and (index == 0 or "/" in word):
            return any(each in _OUR_WORDS for each in words[index + 1 :])
    return False


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class _Doc:
    """One parsed text; every method that edits gives or keeps a newly parsed one."""

    def __init__(self, text: str, wanted: Wanted, *, tolerant: bool = False) -> None:
        self.wanted = wanted
        self.tolerant = tolerant
        self.take(text)

    def take(self, text: str) -> None:
        """Parse ``text`` and check the types on our path."""
        self.text = text
        try:
            self.root = jsonc.parse(text)
        except Refusal as fault:
            if fault.code == "invalid_json":
                fault.detail += " (Claude Code ignores the whole file while it is like this)"
            raise
        if self.root.kind != "object" and not self.tolerant:
            raise Refusal("not_object", f"the file holds {self._kind(self.root)}, not an object")
        self.hooks = self._typed(self.root, "hooks", "object", "/hooks")

    def _typed(self, box: Node, key: str, kind: str, pointer: str) -> Node | None:
        slot = box.find(key)
        if slot is None or (self.tolerant and slot.value.kind != kind):
            return None
        if slot.value.kind == kind:
            return slot.value
        detail = f"{key!r} must be an {kind}, it is {self._kind(slot.value)}"
        raise Refusal("wrong_type", detail, line=jsonc.line_of(self.text, slot.start), pointer=pointer)

    def _kind(self, node: Node) -> str:
        if node.kind == "literal":
            return self.text[node.start : node.end]
        return ("an " if node.kind in ("object", "array") else "a ") + node.kind

    def groups(self, event: str) -> Node | None:
        """Return the array of ``event``, None if absent."""
        if self.hooks is None:
            return None
        return self._typed(self.hooks, event, "array", jsonc.pointer("hooks", event))

    def via(self) -> str:
        """How prompts shall reach us: as wanted, else as they do."""
        return self.wanted.via or way(self.text)

    def disabled(self) -> bool:
        """Whether the file switches all hooks off."""
        slot = self.root.find("disableAllHooks")
        return slot is not None and self.text[slot.value.start : slot.value.end] == "true"

    def found(self, event: str | None = None) -> Iterator[Found]:
        """Yield our handlers in order, of one event or of all."""
        for slot in self.hooks.slots if self.hooks else []:
            name = slot.key or ""
            if slot.value.kind == "array" and event in (None, name):
                for number, group in enumerate(slot.value.slots):
                    handlers = group.value.find("hooks")
                    if handlers is not None and handlers.value.kind == "array":
                        yield from self._in_group(name, slot.value, number, handlers.value)

    def _in_group(self, event: str, groups: Node, number: int, handlers: Node) -> Iterator[Found]:
        for index, slot in enumerate(handlers.slots):
            state = self._state(event, slot)
            if state is not None:
                yield Found(event, groups, number, handlers, index, state)

    def _state(self, event: str, slot: Slot) -> str | None:
        entry = jsonc.value_of(self.text, slot.value)
        if not isinstance(entry, dict) or not _names_us(entry):
            return None
        if event not in EVENTS:
            return EDITED
        if entry == handler(event, self.wanted.launcher, self.via()):
            return CURRENT
        forms = (handler(event, NAME), handler(event, None), handler(event, None, "mcp"))
        if fingerprint(entry) in map(fingerprint, forms):
            return MOVED
        return OUTDATED if fingerprint(entry) in self.wanted.known else EDITED

    def trace(self, before: Trace | None) -> Trace:
        """Note the text of every empty container on our path; keep older notes where ours is inside already."""
        old = before.containers if before else {}
        held = {each.event for each in self.found()}
        boxes = {"": self.root, "/hooks": self.hooks}
        boxes.update({jsonc.pointer("hooks", event): self.groups(event) for event in EVENTS})
        notes: dict[str, str] = {}
        for pointer, box in boxes.items():
            ours = held if pointer in ("", "/hooks") else held & {pointer.rpartition("/")[2]}
            if box is not None and not box.slots:
                notes[pointer] = self.text[box.start : box.end]
            elif ours and pointer in old:
                notes[pointer] = old[pointer]
        if held and before and (before.absent or before.blank is not None):
            return Trace(notes, before.blank, before.absent)
        return Trace(notes)

    def settle(self, event: str, reports: list[str]) -> None:
        """Bring one event to what is wanted: update ours, drop doubles, else append our group."""
        while True:
            mine = list(self.found(event))
            stale = next((each for each in mine if self._must_rewrite(each)), None)
            double = self._double(mine)
            if stale is not None:
                self._note(reports, "path_updated" if stale.state == MOVED else "entry_updated")
                self._rewrite(stale)
            elif double is not None:
                self._note(reports, "duplicate_removed")
                self.take(self.drop(double, {}))
            else:
                break
        if any(each.state == EDITED for each in mine):
            self._note(reports, "hand_edited")
        if not mine:
            self._append(event)

    def _must_rewrite(self, each: Found) -> bool:
        return each.state in (MOVED, OUTDATED) or (each.state == EDITED and self.wanted.force)

    @staticmethod
    def _note(reports: list[str], code: str) -> None:
        if code not in reports:
            reports.append(code)

    def _double(self, mine: list[Found]) -> Found | None:
        """Return a current handler that repeats an earlier one of a group with the same matcher."""
        seen: set[str] = set()
        for each in mine:
            if each.state != CURRENT:
                continue
            matcher = each.groups.slots[each.group].value.find("matcher")
            key = "" if matcher is None else self.text[matcher.value.start : matcher.value.end]
            if key in seen:
                return each
            seen.add(key)
        return None

    def _rewrite(self, each: Found) -> None:
        entry = handler(each.event, self.wanted.launcher, self.via())
        old = each.node
        command = old.find("command")
        if each.state == MOVED and "args" in entry and old.find("args") is not None and command is not None:
            self.take(edit.replace(self.text, self.root, command.value, entry["command"]))
        else:
            self.take(edit.replace(self.text, self.root, old, entry))

    def _append(self, event: str) -> None:
        group: object = {"hooks": [handler(event, self.wanted.launcher, self.via())]}
        groups = self.groups(event)
        if groups is not None:
            self.take(edit.append(self.text, self.root, groups, group))
        elif self.hooks is not None:
            self.take(edit.append(self.text, self.root, self.hooks, [group], key=event))
        else:
            self.take(edit.append(self.text, self.root, self.root, {event: [group]}, key="hooks"))

    def drop(self, each: Found, containers: dict[str, str]) -> str:
        """Return the text without one handler, its group if nothing else is in it, and what this empties."""
        if len(each.handlers.slots) > 1:
            return edit.remove(self.text, each.handlers, each.index)
        if len(each.groups.slots) > 1:
            return edit.remove(self.text, each.groups, each.group)
        box, pointer = each.groups, jsonc.pointer("hooks", each.event)
        for outer, outer_pointer in ((self.hooks, "/hooks"), (self.root, "")):
            if pointer in containers or outer is None:
                break
            if len(outer.slots) > 1:
                return edit.remove(self.text, outer, outer.slots.index(self._holder(outer, box)))
            box, pointer = outer, outer_pointer
        return edit.splice(self.text, (box.start, box.end, containers.get(pointer, "{}")))

    @staticmethod
    def _holder(outer: Node, box: Node) -> Slot:
        return next(slot for slot in outer.slots if slot.value is box)
