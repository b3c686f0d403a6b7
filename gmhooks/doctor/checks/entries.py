"""Each entry of ours by itself: its event, command, timeout and options."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from gmhooks.doctor.clientfiles import PLUGIN
from gmhooks.doctor.finding import FAIL, INFO, WARN, Finding
from gmhooks.doctor.handlers import Handler
from gmhooks.doctor.view import View
from gmhooks.init.mcp_entry import REJECTED, registered, rejected
from gmhooks.init.settings import EDITED, EVENTS

LONGEST_S = 60
SHORTEST_S = 1
_SOURCES = {
    "SessionStart": ("startup", "resume", "clear", "compact", "fork"),
    "PreCompact": ("manual", "auto"),
    "SessionEnd": ("clear", "resume", "logout", "prompt_input_exit", "other"),
}
_NAMES_ONLY = re.compile(r"[A-Za-z0-9_, |]+")


def check(view: View) -> Iterator[Finding]:
    """What is wrong with single entries; a sound one yields nothing."""
    for each in view.handlers:
        findings = list(_faults(view, each))
        yield from findings
        if each.state == EDITED and not findings:
            yield Finding("hook.edited", INFO, f"{each.place} differs from what install writes")


def _faults(view: View, each: Handler) -> Iterator[Finding]:
    if each.event in EVENTS and each.argument not in ("", each.event):
        yield Finding("hook.event", FAIL, f"{each.place} names {each.argument}")
    elif each.event not in EVENTS and each.argument:
        yield from _misplaced(each)
    yield from _timeout(each)
    yield from _options(each)
    if each.tool:
        if not registered(view.at.route.root, view.at.environ):
            yield Finding("hook.server", FAIL, f"{each.place} asks a server that is not registered")
        elif refused := rejected(view.at.route.root, view.at.environ):
            yield Finding("hook.server", FAIL, f"{each.place} asks a server that {REJECTED} in {refused} rejects")
        return
    if not each.state:
        yield Finding("hook.command", WARN, f"{each.place} calls {' '.join(each.words[:3])}")
        return
    yield from _path(view, each)
    if "args" not in each.entry and not each.portable:
        yield Finding("hook.shell_form", WARN, f"{each.place} is a shell line")


def _misplaced(each: Handler) -> Iterator[Finding]:
    from gmhooks.doctor.checks.settings import KNOWN_EVENTS

    if each.event in KNOWN_EVENTS:
        yield Finding("hook.event", FAIL, f"{each.place} names {each.argument}")


def _timeout(each: Handler) -> Iterator[Finding]:
    seconds = each.entry.get("timeout")
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        yield Finding("hook.timeout", FAIL, f"{each.place}: the client drops an entry with the timeout {seconds!r}")
    elif seconds > LONGEST_S:
        yield Finding("hook.timeout_absurd", WARN, f"{each.place}: {seconds:g} seconds; milliseconds were meant?")
    elif seconds < SHORTEST_S:
        yield Finding("hook.timeout", WARN, f"{each.place}: {seconds:g} seconds")


def _options(each: Handler) -> Iterator[Finding]:
    left_out = [source for source in _SOURCES.get(each.event, ()) if not _matches(each.matcher, source)]
    if left_out and not each.file.scope.startswith(PLUGIN):
        yield Finding("hook.options", WARN, f"{each.place}: matcher {each.matcher!r} leaves out {', '.join(left_out)}")
    if "if" in each.entry:
        yield Finding("hook.options", WARN, f"{each.place}: with `if` it never runs")
    if each.entry.get("async") is True and each.event != "SessionEnd":
        yield Finding("hook.options", WARN, f"{each.place}: with `async` its answer comes a turn late")
    if each.entry.get("type", "command") not in ("command", "mcp_tool"):
        yield Finding("hook.options", WARN, f"{each.place}: its type is {each.entry['type']!r}, not command")


def _matches(matcher: str, source: str) -> bool:
    if matcher in ("", "*"):
        return True
    if _NAMES_ONLY.fullmatch(matcher):
        return source in re.split(r"[|, ]+", matcher)
    try:
        return re.search(matcher, source) is not None
    except re.error:
        return False


def _path(view: View, each: Handler) -> Iterator[Finding]:
    called = each.launcher
    if each.portable or called in ("", view.launcher_path) or each.file.scope.startswith(PLUGIN):
        return
    if os.access(called, os.X_OK):
        if os.path.realpath(called) != os.path.realpath(view.launcher_path):
            yield Finding("hook.path", WARN, f"{each.place} calls {called}, not {view.launcher_path}")
    elif "$" not in called:
        yield Finding("hook.path", FAIL, f"{each.place} calls {called}, which cannot be run")
