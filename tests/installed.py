"""The program as a user has it: installed into an environment of its own, once per run, shared by all who test it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
PREFIX_VARIABLE = "GMHOOKS_PROGRAM"
EVENT_WORDS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}


@dataclass(frozen=True)
class Program:
    """An installed gmhooks: the environment's prefix."""

    prefix: Path

    @property
    def graymatter(self) -> str:
        return str(self.prefix / "bin" / "graymatter")

    @property
    def python(self) -> str:
        return str(self.prefix / "bin" / "python")

    def inside(self, script: str, *words: str) -> list[str]:
        """Command line that runs `script` among the program's own modules and nobody else's."""
        return [self.python, "-I", "-c", script, *words]

    def cli(
        self, *words: str, cwd: Path, home: Path, extra: Mapping[str, str] | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run one verb in a clean environment; the caller judges the status."""
        return subprocess.run(
            [self.graymatter, *words],
            cwd=cwd,
            env={**clean_env(home), **(extra or {})},
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    def done(self, *words: str, cwd: Path, home: Path) -> str:
        """Standard output of a verb that must succeed; AssertionError with its complaint if it does not."""
        ran = self.cli(*words, cwd=cwd, home=home)
        assert ran.returncode == 0, f"graymatter {words[0]} ended with {ran.returncode}: {ran.stderr.strip()[-400:]}"
        return ran.stdout

    def has_verb(self, *words: str) -> bool:
        """True if the program knows this verb."""
        return _knows(self, words)


@cache
def _knows(program: Program, words: tuple[str, ...]) -> bool:
    return program.cli(*words, "--help", cwd=program.prefix, home=program.prefix).returncode == 0


def clean_env(home: Path) -> dict[str, str]:
    """What a fresh login shell would pass on: nothing of the developer's own environment."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def without_network() -> list[str]:
    """A prefix that runs a command in a network of its own, with nobody in it; empty where that is not allowed."""
    prefix = ["unshare", "--net"]
    try:
        allowed = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return []
    return prefix if allowed else []


def build(prefix: Path) -> Program:
    """Install this checkout, not editable, into a new environment at `prefix`."""
    steps: list[Sequence[str]] = [
        [sys.executable, "-m", "venv", str(prefix)],
        [
            str(prefix / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            str(CHECKOUT),
        ],
    ]
    for step in steps:
        ran = subprocess.run(step, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"{' '.join(step[:4])} … failed: {ran.stderr.strip()[-2000:]}")
    return Program(prefix)


def shared(base: Path) -> Program:
    """The run's one installation below `base`, or the one that GMHOOKS_PROGRAM names; built by whoever asks first."""
    named = os.environ.get(PREFIX_VARIABLE)
    if named:
        return Program(Path(named))
    prefix = base / "program"
    with open(base / "program.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = base / "program.ready"
        if not ready.exists():
            build(prefix)
            ready.touch()
    return Program(prefix)


def hook_commands(settings: Path) -> dict[str, list[str]]:
    """Our installed command line per event, read from a settings file as the client reads it."""
    try:
        hooks: dict[str, Any] = json.loads(settings.read_bytes()).get("hooks", {})
    except (OSError, ValueError):
        return {}
    found = {}
    for event, groups in hooks.items():
        for entry in (entry for group in groups for entry in group["hooks"]):
            if Path(str(entry.get("command", ""))).name == "gmhooks-hook":
                found[event] = [entry["command"], *entry.get("args", [])]
    return found
