"""The launcher: there, runnable, whole, and what it names as well."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from gmhooks.doctor import probe
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.launcherfile import Launcher
from gmhooks.doctor.view import View
from gmhooks.init import launcher as installed

OLDEST = (3, 11)
_SHIM_FOLDERS = ("/shims/", "/.asdf/", "/mise/shims/")


def check(view: View) -> Iterator[Finding]:
    """Every part of the launcher; parts behind a broken one are not looked at."""
    if not view.handlers:
        return
    if not view.uses_launcher:
        yield Finding("launcher.present", INFO, f"no entry calls {view.launcher_path}")
        return
    findings = list(_file(view))
    yield from findings
    if view.launcher is not None:
        named = list(_named(view, view.launcher))
        yield from named
        if not findings and not named:
            yield Finding("launcher.present", OK, f"{view.launcher_path} runs {view.launcher.python}")


def _file(view: View) -> Iterator[Finding]:
    path, status = view.launcher_path, view.launcher_status
    if status is None:
        yield Finding("launcher.present", FAIL, f"{path} does not exist")
        return
    if not stat.S_ISREG(status.st_mode):
        yield Finding("launcher.present", FAIL, f"{path} is no regular file")
        return
    mode = stat.S_IMODE(status.st_mode)
    if not mode & stat.S_IXUSR:
        yield Finding("launcher.mode", FAIL, f"{path} has mode {mode:04o} and cannot be executed")
    elif status.st_uid != os.geteuid():
        yield Finding("launcher.mode", FAIL, f"{path} belongs to user id {status.st_uid}")
    elif mode != 0o700:
        yield Finding("launcher.mode", WARN, f"{path} has mode {mode:04o}, not 0700")
    if view.launcher is None:
        yield Finding("launcher.text", FAIL, f"{path} does not hold exactly the three lines that install writes")


def _named(view: View, named: Launcher) -> Iterator[Finding]:
    if os.path.realpath(named.user_dir) != os.path.realpath(view.at.user_dir):
        yield Finding("launcher.user_dir", FAIL, f"it names {named.user_dir}, and lies in {view.at.user_dir}")
    missing = [path for path in (named.shim, named.source) if not os.path.isfile(path)]
    shim_there = not missing
    if missing:
        yield Finding("launcher.shim", FAIL, f"{missing[0]} does not exist")
    elif not _ours(named.shim):
        yield Finding("launcher.shim", WARN, f"it runs {named.shim}, which is not the shim of {installed.shim()}")
    yield from _interpreter(named, with_package=shim_there)


def _ours(shim: str) -> bool:
    """Whether a file is what this package's install compiles for the launcher."""
    with open(shim, "rb") as file:
        return file.read() == installed.shim_code()


def _interpreter(named: Launcher, *, with_package: bool) -> Iterator[Finding]:
    if not os.path.isfile(named.python) or not os.access(named.python, os.X_OK):
        yield Finding("launcher.interpreter", FAIL, f"{named.python} does not exist or is not executable")
        return
    if any(part in named.python for part in _SHIM_FOLDERS) or _is_script(named.python):
        yield Finding("launcher.slow_python", WARN, f"{named.python} is not the interpreter itself")
    seen = probe.ask(named)
    if seen is None:
        yield Finding("launcher.interpreter", FAIL, f"{named.python} does not run Python code")
    elif seen.version < OLDEST:
        yield Finding("launcher.python", FAIL, f"{named.python} is Python {seen.version[0]}.{seen.version[1]}")
    elif with_package and seen.problem:
        yield Finding("launcher.python", FAIL, f"{named.python} cannot load LMDB for {named.package}: {seen.problem}")


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
