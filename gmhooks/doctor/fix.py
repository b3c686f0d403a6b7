"""Repair of what is ours and nothing else: launcher, bytecode and pack, doubled entries and old paths in settings files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from gmhooks.doctor.finding import FAIL, INFO, WARN, Finding
from gmhooks.doctor.view import View
from gmhooks.init import launcher, pack
from gmhooks.init.install import install
from gmhooks.init.refusal import Refusal

_LAUNCHER = "launcher."
_PACKAGE = frozenset(("package.pack", "package.bytecode"))
_ENTRIES = frozenset(("hook.path", "hook.duplicate"))
_SETTLED_S = 2.0


def repair(view: View, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Repair what these findings name and yield what was done, or why it could not be."""
    bad = {each.id for each in findings if each.bad}
    if any(check.startswith(_LAUNCHER) for check in bad):
        yield from _launcher(view)
    if bad & _PACKAGE and not bad & {"launcher.shim", "launcher.text", "launcher.present"}:
        yield from _package()
    if bad & _ENTRIES:
        yield from _entries(view)


def _launcher(view: View) -> Iterator[Finding]:
    path = view.launcher_path
    try:
        if os.path.islink(path):
            os.unlink(path)
        if launcher.write(view.at.user_dir):
            yield Finding("fix", INFO, f"{path} was written anew; it runs {launcher.interpreter()}")
    except Refusal as refusal:
        yield Finding("fix", FAIL, refusal.sentence(path))
    except OSError as error:
        yield Finding("fix", FAIL, f"{path}: {error.strerror}")


def _package() -> Iterator[Finding]:
    reasons: list[str] = []
    built = pack.build(say=reasons.append)
    if built is None:
        yield Finding("fix", WARN, reasons[0] if reasons else "the pack could not be built")
    else:
        yield Finding("fix", INFO, f"bytecode and {built} were built anew")


def _entries(view: View) -> Iterator[Finding]:
    """Bring files that hold entries of ours to what install writes, then give a running client time to write its own."""
    held = {id(each.file) for each in view.handlers}
    changed = False
    for file in view.settings:
        if id(file) in held and file.fault is None:
            report = install(file.scope, view.at.route.root, view.at.user_dir)
            changed |= report.outcome == "changed"
            if report.outcome != "unchanged":
                yield Finding("fix", FAIL if report.refused else INFO, report.message)
    if changed:
        time.sleep(_SETTLED_S)
