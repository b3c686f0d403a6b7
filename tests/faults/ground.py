"""A home and a project with the installed program, its hooks as the client starts them, and a way back to the beginning."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.corpus.answers import answer, fact_lines, problems_of
from tests.corpus.world import RECALL_MARKER
from tests.installed import Program, clean_env, hook_commands

EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd")
LONGEST_S = 60.0


@dataclass(frozen=True)
class Ended:
    """How one hook process ended. `status` is negative for a death by signal."""

    event: str
    status: int
    out: bytes
    err: bytes
    ms: float

    @property
    def problems(self) -> list[str]:
        """What a client could not live with."""
        found = list(problems_of(self.out, self.event))
        if self.status:
            found.append(f"status {self.status}")
        if self.err:
            found.append(f"stderr {self.err[-200:]!r}")
        return found

    @property
    def facts(self) -> list[str]:
        """The fact lines it showed, as printed."""
        context = answer(self.out).context if self.out else ""
        begin = context.find(RECALL_MARKER)  # what was saved is said before the block
        return fact_lines(context[begin:]) if begin >= 0 else []

    @property
    def message(self) -> str:
        """What the user is told."""
        return answer(self.out).message if self.out else ""

    @property
    def acknowledged(self) -> bool:
        """Whether the user was told that a fact is saved."""
        return "Saved to" in self.message or "Already remembered" in self.message


class Ground:
    """One project of one user. `launcher` starts hooks as the client does, `shim` without the shell around them."""

    def __init__(self, program: Program, base: Path) -> None:
        self.program = program
        self.base = base
        self.home = base / "home"
        self.project = self.home / "project"
        self.data = self.project / ".graymatter"
        self.user_dir = self.home / ".local" / "share" / "gmhooks"
        self.project.mkdir(parents=True)
        self.cli("init", "--hooks")
        command = hook_commands(self.project / ".claude" / "settings.local.json")["UserPromptSubmit"]
        self.launcher = command[:1]
        self.shim = shlex.split(Path(command[0]).read_text().splitlines()[2].partition('"$@"')[0])
        self._runs = 0

    @property
    def env(self) -> dict[str, str]:
        """A clean environment of this user."""
        return clean_env(self.home)

    @property
    def pristine(self) -> Path:
        """Where `keep` put the data directory."""
        return self.base / "pristine"

    def cli(self, *words: str) -> str:
        """Standard output of a verb that must succeed."""
        return self.program.done(*words, cwd=self.project, home=self.home)

    def keep(self) -> None:
        """Remember the data directory as it is."""
        shutil.rmtree(self.pristine, ignore_errors=True)
        shutil.copytree(self.data, self.pristine, symlinks=True)

    def restore(self) -> None:
        """The data directory as it was kept."""
        self._runs += 1
        old = self.base / f"old{self._runs}"
        os.rename(self.data, old)  # the work after a session may still be busy in it
        shutil.copytree(self.pristine, self.data, symlinks=True)
        shutil.rmtree(old, ignore_errors=True)

    def payload(self, event: str, prompt: str = "", **more: object) -> dict[str, object]:
        """A payload of a session of its own."""
        self._runs += 1
        name = f"s{os.getpid()}-{self._runs}"
        found: dict[str, object] = {"session_id": name, "cwd": str(self.project), "hook_event_name": event}
        found |= {
            "SessionStart": {"source": "startup"},
            "UserPromptSubmit": {"prompt": prompt},
            "PreCompact": {"trigger": "auto"},
            "SessionEnd": {"reason": "other", "prompt_id": name},
        }[event]
        return found | more

    def start(
        self, payload: dict[str, object], *, bare: bool = False, extra: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start the hook of a payload and hand it over."""
        words = {
            "SessionStart": "session-start", "UserPromptSubmit": "user-prompt",
            "PreCompact": "pre-compact", "SessionEnd": "session-end",
        }  # fmt: skip
        process = subprocess.Popen(
            [*(self.shim if bare else self.launcher), words[str(payload["hook_event_name"])]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**self.env, **(extra or {})}, cwd=self.project,
        )  # fmt: skip
        assert process.stdin
        try:
            process.stdin.write(json.dumps(payload).encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it was killed already
        return process

    def hook(
        self,
        event: str,
        prompt: str = "",
        *,
        bare: bool = False,
        extra: Mapping[str, str] | None = None,
        **more: object,
    ) -> Ended:
        """Run one hook to its end."""
        began = time.monotonic()
        process = self.start(self.payload(event, prompt, **more), bare=bare, extra=extra)
        return ended(process, event, began)

    def raw(self, event_word: str, event: str, data: bytes, *, bare: bool = False) -> Ended:
        """Run one hook on arbitrary bytes."""
        began = time.monotonic()
        done = subprocess.run(
            [*(self.shim if bare else self.launcher), event_word],
            input=data, capture_output=True, env=self.env, cwd=self.project, timeout=LONGEST_S, check=False,
        )  # fmt: skip
        return Ended(event, done.returncode, done.stdout, done.stderr, (time.monotonic() - began) * 1000)


def ended(process: subprocess.Popen[bytes], event: str, began: float) -> Ended:
    """Wait for a hook that was started."""
    out, err = process.communicate(timeout=LONGEST_S)
    return Ended(event, process.returncode, out, err, (time.monotonic() - began) * 1000)


def say(text: str) -> None:
    """Progress, for people."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
