"""Whether Claude Code is wired to our hooks, scope by scope. Only read: read-only places are judged too."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gmhooks.init import ledger, publish, settings
from gmhooks.init.install import SCOPES, in_both_forms, settings_path
from gmhooks.init.launcher import path_in
from gmhooks.init.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Wiring:
    """State of one scope: "installed", "outdated" (of ours, but not what install writes), "absent" or "refused". `via`: how
    prompts reach us by it, "command" or "mcp"."""

    scope: str
    path: str
    state: str
    detail: str
    via: str = "command"


def wirings(root: str, user_dir: str) -> list[Wiring]:
    """The state of every scope."""
    return [_wiring(scope, root, user_dir) for scope in SCOPES]


def launcher_ready(user_dir: str) -> bool:
    """Whether the command that settings record is there and may be run."""
    return os.access(path_in(user_dir), os.X_OK)


def _wiring(scope: str, root: str, user_dir: str) -> Wiring:
    path = settings_path(scope, root)
    try:
        target = publish.resolve(path)[0]
        data = publish.read(target).data
        there = settings.installed(data, None)
    except Refusal as refusal:
        return Wiring(scope, path, "refused", refusal.sentence(path))
    except OSError as error:
        return Wiring(scope, path, "refused", f"{path}: {error.strerror}")
    if not there:
        return Wiring(scope, path, "absent", "")
    state, notes = _compared(data, scope, user_dir, ledger.load(user_dir, target))
    doubled = ["installed_twice"] if in_both_forms(scope, root) else []
    way = settings.way((data or b"").decode("utf-8", "replace"))
    return Wiring(scope, path, state, ", ".join([*notes, *doubled]), way)


def _compared(data: bytes | None, scope: str, user_dir: str, record: ledger.Record | None) -> tuple[str, list[str]]:
    """Whether an install would leave these bytes as they are, and what it would report."""
    launcher = None if scope == "project" else path_in(user_dir)
    known = frozenset(record.entries if record else ())
    try:
        wanted = settings.install(data, settings.Wanted(launcher, known), record.trace if record else None)
    except Refusal as refusal:
        return "outdated", [refusal.code]
    return "installed" if wanted.data == data else "outdated", [*wanted.reports, *wanted.warnings]
