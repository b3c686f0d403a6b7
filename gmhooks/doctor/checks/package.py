"""What makes hooks start fast: the pack, fresh bytecode, and an installation that is not editable."""

from __future__ import annotations

import glob
import importlib.util
import os
from collections.abc import Iterator

from gmhooks.doctor import probe
from gmhooks.doctor.finding import OK, WARN, Finding
from gmhooks.doctor.launcherfile import Launcher
from gmhooks.doctor.view import View
from gmhooks.init.pack import HOT

_HEADER = 16


def check(view: View) -> Iterator[Finding]:
    """The package that the launcher runs; nothing when that cannot be run."""
    named = view.launcher
    if named is None or not view.uses_launcher or not all(map(os.path.isfile, (named.shim, named.source))):
        return
    seen = probe.ask(named)
    if seen is None or seen.problem:
        return
    if not os.path.isdir(os.path.join(os.path.dirname(named.package), "lmdb")):
        yield Finding("package.editable", WARN, f"{named.package} is run from its sources")
    else:
        yield _pack(named, seen.cache_tag)
    stale = list(stale_bytecode(named, seen.cache_tag))
    if stale:
        yield Finding("package.bytecode", WARN, f"{len(stale)} modules of {named.package}, the first is {stale[0]}")
    else:
        yield Finding("package.bytecode", OK, "bytecode is there and fits the sources")


def sources(named: Launcher) -> list[str]:
    """The source files that a hook may load."""
    folders = [named.package, *(os.path.join(named.package, name) for name in HOT)]
    return sorted(path for folder in folders for path in glob.glob(os.path.join(glob.escape(folder), "*.py")))


def _pack(named: Launcher, tag: str) -> Finding:
    path = os.path.join(named.package, "hooks", "__pycache__", f"hot.{tag}.pack")
    if not os.path.exists(path):
        return Finding("package.pack", WARN, f"{path} does not exist")
    newer = [file for file in sources(named) if os.stat(file).st_mtime_ns > os.stat(path).st_mtime_ns]
    if newer:
        return Finding("package.pack", WARN, f"{newer[0]} is newer than {path}")
    if not probe.uses_pack(named):
        return Finding("package.pack", WARN, f"hooks do not use {path}: it is damaged, or made for other files")
    return Finding("package.pack", OK, "hooks start from the pack")


def stale_bytecode(named: Launcher, tag: str) -> Iterator[str]:
    """Sources without bytecode that the interpreter would use, or with bytecode of other sources."""
    for source in sources(named):
        if os.path.basename(source) == "shim.py":
            continue
        name = os.path.basename(source)[:-3]
        if not _fits(source, os.path.join(os.path.dirname(source), "__pycache__", f"{name}.{tag}.pyc")):
            yield os.path.relpath(source, named.package)


def _fits(source: str, bytecode: str) -> bool:
    try:
        with open(bytecode, "rb") as file:
            head = file.read(_HEADER)
        with open(source, "rb") as file:
            text = file.read()
        status = os.stat(source)
    except OSError:
        return False
    if len(head) < _HEADER:
        return False
    if int.from_bytes(head[4:8], "little") & 1:
        own = head[:4] == importlib.util.MAGIC_NUMBER
        return not own or head[8:] == importlib.util.source_hash(text)
    mtime, size = int.from_bytes(head[8:12], "little"), int.from_bytes(head[12:16], "little")
    return (mtime, size) == (int(status.st_mtime) & 0xFFFFFFFF, len(text) & 0xFFFFFFFF)
