"""The demonstration after `init --hooks`: the recorded prompt command, run on a private copy of the store.

Nothing of the user's is touched: the copy lies in a temporary directory with a registry of its own, and the command gets
both through its arguments and environment. No network, no model.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass

from gmhooks.hooks.route import DIRECTORY, agent_id
from gmhooks.init.launcher import NAME, interpreter, path_in
from gmhooks.memory.copies import copy_store
from gmhooks.store.create import prepare, store_id
from gmhooks.store.errors import StoreError
from gmhooks.store.records import USER
from gmhooks.store.trust import register
from gmhooks.store.writer import save

SAMPLE = "The demo lighthouse of Port Gmhooks flashes every 12 seconds"
PROMPT = "How often does the demo lighthouse of Port Gmhooks flash?"
RUNS = 7
_EVENT = "user-prompt"
_KEY = "UserPromptSubmit"
_TIMEOUT_S = 20


class ProofFailed(Exception):
    """The demonstration did not show the fact; the message says what happened, `then` what to do."""

    def __init__(self, what: str, then: str) -> None:
        super().__init__(what)
        self.then = then


@dataclass(frozen=True, slots=True)
class Proof:
    """The prompt, the block that the command injected for it, and its cost against an empty Python program."""

    prompt: str
    block: str
    ratio: float
    runs: int


def recorded_command(settings_path: str, user_dir: str) -> list[str]:
    """The prompt command as the settings file records it; the launcher itself where a shell line is recorded."""
    fallback = [path_in(user_dir), _EVENT]
    try:
        with open(settings_path, "rb") as file:
            groups = json.loads(file.read())["hooks"][_KEY]
        entries = [entry for group in groups for entry in group["hooks"] if NAME in os.path.basename(entry["command"])]
        found = [[entry["command"], *entry["args"]] for entry in entries if isinstance(entry.get("args"), list)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return fallback
    return found[0] if found and all(isinstance(word, str) for word in found[0]) else fallback


def prove(data_dir: str, root: str, command: list[str], runs: int = RUNS) -> Proof:
    """Run `command` on a private copy and return what it injected and what it cost. Raises ProofFailed."""
    with tempfile.TemporaryDirectory(prefix="gmhooks-proof-") as folder:
        stage = _Stage(os.path.realpath(folder), root, command)
        try:
            stage.furnish(data_dir)
        except (StoreError, OSError) as error:
            raise ProofFailed(
                f"the private copy of the store could not be made: {error}", "graymatter status"
            ) from None
        block = stage.shown_block()
        return Proof(PROMPT, block, stage.ratio(runs), runs)


class _Stage:
    """A temporary project with a copy of the store, a registry of its own and the command to run on them."""

    def __init__(self, folder: str, root: str, command: list[str]) -> None:
        name = os.path.basename(root) or "project"
        self.folder = folder
        self.project = os.path.join(folder, "project", name)
        self.data_dir = self.project + DIRECTORY
        self.user_dir = os.path.join(folder, "user")
        self.agent_id = agent_id(self.project)
        at = len(command) - 1 if len(command) > 1 else 1
        self.command = [*command[:at], f"--user-dir={self.user_dir}", *command[at:]]
        self.sessions = 0

    def furnish(self, data_dir: str) -> None:
        """Copy the store, trust the copy, add the sample fact. StoreError or OSError."""
        os.makedirs(self.data_dir, 0o700)
        os.mkdir(self.user_dir, 0o700)
        copy_store(data_dir, self.data_dir)
        prepare(self.data_dir, self.user_dir)
        register(self.user_dir, self.data_dir, store_id(self.data_dir))
        save(self.data_dir, [(self.agent_id, SAMPLE, USER, 0)], time.time_ns() // 1000, patient=True)

    def shown_block(self) -> str:
        """The block of one run, with the sample fact in it; ProofFailed otherwise."""
        try:
            done = self._run(self.command)
        except OSError as error:
            raise ProofFailed(
                f"{self.command[0]} cannot be started: {error.strerror}", "graymatter hooks install"
            ) from None
        except subprocess.TimeoutExpired:
            raise ProofFailed(
                f"{self.command[0]} did not end within {_TIMEOUT_S} s", "graymatter hooks install"
            ) from None
        if done.returncode:
            raise ProofFailed(f"{self.command[0]} ended with status {done.returncode}", "graymatter hooks install")
        if not done.stdout:
            raise ProofFailed(f"the hook answered nothing: {self._receipt()}", "graymatter status")
        block = _context(done.stdout)
        if block is None:
            raise ProofFailed("the hook's answer is not the documented JSON object", "install gmhooks again")
        if block.count(SAMPLE) != 1:
            raise ProofFailed("the hook's block does not hold the sample fact exactly once", "install gmhooks again")
        return block

    def ratio(self, runs: int) -> float:
        """Median time of the command over that of an empty Python program, runs taken in turn."""
        bare = [interpreter(), "-I", "-S", "-c", "pass"]
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(runs):
            for command, taken in zip((bare, self.command), times, strict=True):
                start = time.perf_counter()
                self._run(command)
                taken.append(time.perf_counter() - start)
        return statistics.median(times[1]) / statistics.median(times[0])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        self.sessions += 1
        payload = {
            "session_id": f"gmhooks-proof-{self.sessions}",
            "transcript_path": "",
            "cwd": self.project,
            "hook_event_name": _KEY,
            "prompt": PROMPT,
        }
        return subprocess.run(
            command,
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            cwd=self.project,
            env={"PATH": os.defpath, "HOME": self.folder, "CLAUDE_PROJECT_DIR": self.project},
            check=False,
        )

    def _receipt(self) -> str:
        """The last receipt the hook left in the copy."""
        try:
            with open(os.path.join(self.data_dir, "hooks.log"), encoding="utf-8") as file:
                last = json.loads(file.read().splitlines()[-1])
            return f"its receipt is {last['code']} {last['detail']}".strip()
        except (OSError, ValueError, LookupError, TypeError):
            return f"it left no receipt, so {interpreter()} could not load the hook"


def _context(answer: bytes) -> str | None:
    try:
        text = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None
