"""The command as a subprocess, in a home and a project of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass
class Ran:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


@dataclass
class Place:
    """A fresh home with a project below it; not yet prepared."""

    home: Path
    project: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def data_dir(self) -> Path:
        return self.project / ".graymatter"

    @property
    def user_dir(self) -> Path:
        return self.home / ".local/share/gmhooks"

    def env(self) -> dict[str, str]:
        clean = {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return clean | self.environ

    def run(self, *words: str, stdin: str | None = None, cwd: Path | None = None) -> Ran:
        """Run `graymatter WORDS` and wait for it."""
        done = subprocess.run(
            [sys.executable, "-m", "gmhooks", *words],
            input=stdin, capture_output=True, text=True, encoding="utf-8", cwd=cwd or self.project, env=self.env(),
            timeout=120, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr)

    def raw(
        self, command: list[str], stdout: int = subprocess.PIPE, stdin: int = subprocess.DEVNULL
    ) -> subprocess.CompletedProcess[str]:
        """Run any command in this place."""
        return subprocess.run(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.project,
            env=self.env(),
            check=False,
        )

    def python(self, code: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python code in this place."""
        return self.raw([sys.executable, "-c", code, *words])

    def ok(self, *words: str) -> Ran:
        """Run a command that must succeed and complain about nothing unexpected."""
        ran = self.run(*words)
        assert ran.code == 0, (words, ran)
        return ran
