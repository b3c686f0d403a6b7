"""Files that the client cannot read, or parts of them that it drops."""

from __future__ import annotations

from collections.abc import Iterator

from gmhooks.doctor.clientfiles import SettingsFile
from gmhooks.doctor.finding import FAIL, OK, WARN, Finding
from gmhooks.doctor.handlers import ARGUMENTS
from gmhooks.doctor.view import View

_SYNTAX = ("invalid_json", "duplicate_key", "too_deep")
_EVENTS = (
    "SessionStart Setup UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PermissionDenied PostToolUse "
    "PostToolUseFailure PostToolBatch Notification MessageDisplay SubagentStart SubagentStop TaskCreated TaskCompleted Stop "
    "StopFailure TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate "
    "WorktreeRemove PreCompact PostCompact PreModelSwitch PostModelSwitch Elicitation ElicitationResult "
    "PreSkillShellCommand SessionEnd"
)
KNOWN_EVENTS = frozenset(_EVENTS.split())


def check(view: View) -> Iterator[Finding]:
    """Syntax, shape and event names of every file that may hold hooks."""
    for file in view.files:
        if file.fault is not None:
            yield _fault(file)
        elif file.present:
            faults = list(_shape(file))
            yield from faults
            if not faults:
                yield Finding("settings.json", OK, f"{file.path} ({file.scope}) is sound")
    for each in view.handlers:
        if each.event not in KNOWN_EVENTS:
            yield Finding("settings.unknown_event", WARN, f"the client does not know {each.event!r} ({each.file.path})")


def _fault(file: SettingsFile) -> Finding:
    assert file.fault is not None
    fault = file.fault
    check = "settings.json" if fault.code in _SYNTAX else "settings.file"
    state = WARN if fault.code == "duplicate_key" else FAIL
    line = "" if fault.line is None else f", line {fault.line}"
    return Finding(check, state, f"{file.path}{line}: {fault.detail}")


def _shape(file: SettingsFile) -> Iterator[Finding]:
    if not isinstance(file.hooks, dict):
        yield Finding("settings.shape", FAIL, f"{file.path}: `hooks` is no object")
        return
    for event, groups in file.hooks.items():
        if not isinstance(groups, list):
            state = FAIL if event in ARGUMENTS.values() else WARN
            yield Finding("settings.shape", state, f"{file.path}: `hooks.{event}` is no list")
