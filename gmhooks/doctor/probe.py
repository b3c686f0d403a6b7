"""Questions that only the recorded interpreter can answer: its version, whether LMDB loads, whether it uses the pack.

It is asked in the way the launcher starts it, without writing bytecode, in an environment where nothing is prepared.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

from gmhooks.doctor.launcherfile import Launcher

_TIMEOUT_S = 20
_QUESTION = """
import sys
sys.path[:0] = [p for p in sys.argv[1:] if p]
problem = ""
try:
    import lmdb
    lmdb.version()
except Exception as error:
    problem = type(error).__name__ + ": " + str(error)
import json
print(json.dumps([sys.version_info[:2], sys.implementation.cache_tag, problem]))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Version, the tag in the names of its bytecode, and why LMDB cannot be loaded ("" when it can)."""

    version: tuple[int, int]
    cache_tag: str
    problem: str


@lru_cache(maxsize=8)
def ask(named: Launcher) -> Interpreter | None:
    """What the recorded interpreter says about itself; None when it does not run."""
    done = _run([named.python, "-B", "-I", "-S", "-c", _QUESTION, os.path.dirname(named.package), lmdb_folder(named)])
    try:
        version, tag, problem = json.loads(done.stdout if done else b"")
        return Interpreter((version[0], version[1]), tag, problem)
    except (ValueError, TypeError, LookupError):
        return None


def uses_pack(named: Launcher) -> bool:
    """Whether a hook takes its code from the pack: nothing of the hot set is imported from files then."""
    with tempfile.TemporaryDirectory(prefix="gmhooks-doctor-") as folder:
        done = _run(
            [named.python, "-B", "-I", "-S", "-X", "importtime", named.shim, f"--user-dir={folder}", "user-prompt"],
            json.dumps({"hook_event_name": "UserPromptSubmit", "cwd": folder, "prompt": "where is the pack"}).encode(),
            folder,
        )
    return done is not None and b"gmhooks.hooks.main" not in done.stderr


def lmdb_folder(named: Launcher) -> str:
    """Where LMDB lies if not beside the package (an editable installation): as this process finds it."""
    if os.path.isdir(os.path.join(os.path.dirname(named.package), "lmdb")):
        return ""
    spec = find_spec("lmdb")
    return os.path.dirname(os.path.dirname(spec.origin)) if spec is not None and spec.origin else ""


def _run(command: list[str], stdin: bytes = b"", cwd: str = "/") -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            timeout=_TIMEOUT_S,
            env={"PATH": os.defpath},
            cwd=cwd,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
