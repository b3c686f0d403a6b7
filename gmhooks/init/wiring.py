"""Whether Claude Code is wired to our hooks, scope by scope, without changing anything."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gmhooks.init.install import SCOPES, install, uninstall
from gmhooks.init.launcher import path_in


@dataclass(frozen=True, slots=True)
class Wiring:
    """State of one scope: "installed", "outdated" (of ours, but not what install writes), "absent" or "refused"."""

    scope: str
    path: str
    state: str
    detail: str


def wirings(root: str, user_dir: str) -> list[Wiring]:
    """The state of every scope."""
    return [_wiring(scope, root, user_dir) for scope in SCOPES]


def launcher_ready(user_dir: str) -> bool:
    """Whether the command that settings record is there and may be run."""
    return os.access(path_in(user_dir), os.X_OK)


def _wiring(scope: str, root: str, user_dir: str) -> Wiring:
    there = uninstall(scope, root, user_dir, dry_run=True, force=True)
    if there.refused:
        return Wiring(scope, there.path, "refused", there.message)
    if there.outcome == "absent":
        return Wiring(scope, there.path, "absent", "")
    wanted = install(scope, root, user_dir, dry_run=True)
    state = "installed" if wanted.outcome == "unchanged" else "outdated"
    return Wiring(scope, there.path, state, ", ".join([*wanted.reports, *wanted.warnings]))
