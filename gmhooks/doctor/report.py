"""The examination: every check in order, and how its findings are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gmhooks.doctor import delivery, replay, timing
from gmhooks.doctor.catalogue import remedy
from gmhooks.doctor.checks import client, entries, launcher, notes, package, project, registration, settings, store
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.view import Surroundings, View

_CHECKS = (settings, client, registration, entries, launcher, package, store, notes, project)
_WORDS = {OK: "ok  ", INFO: "info", WARN: "WARN", FAIL: "FAIL"}


def examine(at: Surroundings, *, runs: int, with_delivery: bool) -> Iterator[Finding]:
    """Yield what every check finds, as it is found. Nothing of the user's is written; OSError only from temporary files."""
    view = View(at)
    for module in _CHECKS:
        yield from module.check(view)
    yield from replay.check(view)
    yield from timing.check(view, runs)
    if with_delivery:
        yield from delivery.check(view)
    yield from _gone_meanwhile(view)


def _gone_meanwhile(view: View) -> Iterator[Finding]:
    """Read the settings once more: a running client may have written an older text back."""
    again = View(view.at)
    before = {each.file.path for each in view.handlers}
    for path in sorted(before - {each.file.path for each in again.handlers}):
        yield Finding("hook.vanished", FAIL, f"{path} lost our entries during this examination")


def as_object(finding: Finding) -> dict[str, Any]:
    """One finding as plain data; the hint only where there is something to do."""
    body: dict[str, Any] = {"name": finding.id, "status": finding.state, "detail": finding.detail}
    if finding.bad:
        body["hint"] = remedy(finding.id)
    if finding.numbers:
        body["numbers"] = finding.numbers
    return body


def as_lines(finding: Finding) -> list[str]:
    """One finding for a person: its line, and the remedy below it."""
    lines = [f"{_WORDS[finding.state]}  {finding.id}: {finding.detail}"]
    if finding.bad:
        lines.append(f"      Next: {remedy(finding.id)}")
    return lines
