"""What a run ran on: enough to judge its figures by, nothing that says whose machine it is."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import subprocess
import sysconfig
import time
from pathlib import Path


def facts() -> dict[str, str]:
    """Processor, memory, kernel, Python and the tools, one text each."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    libraries = [f"{name} {_installed(name)}" for name in ("lmdb", "pyperf")]
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores",
        "memory": f"{memory / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": f"{platform.python_version()}, {_build()}",
        "versions": ", ".join([f"gmhooks {_own()}", *libraries, f"SQLite {sqlite3.sqlite_version}"]),
        "tools": ", ".join([_tool("valgrind"), _tool("strace")]),
    }


def now() -> str:
    """UTC time of day, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())


def load() -> str:
    """The load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _build() -> str:
    options = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    return "profile-guided build" if "--enable-optimizations" in options else "plain build"


def _own() -> str:
    from gmhooks import __version__

    return __version__


def _installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        return f"no {name}"
    ran = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    first = (ran.stdout or ran.stderr).splitlines() or [""]
    return f"{name} {first[0].rpartition(' ')[2].removeprefix('valgrind-')}"
