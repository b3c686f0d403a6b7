"""The demonstration after `init --hooks`: the recorded prompt command, run on a private copy of the store.

Nothing of the user's is touched (see `stage`). No network, no model.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass

from gmhooks.init.launcher import NAME, interpreter, path_in
from gmhooks.init.stage import PROMPT, SAMPLE, TIMEOUT_S, Stage, context_of
from gmhooks.store.errors import StoreError

RUNS = 7
_EVENT = "user-prompt"
_KEY = "UserPromptSubmit"
_FIELDS = {"hook_event_name": _KEY, "prompt": PROMPT}


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
        stage = Stage(os.path.realpath(folder), root)
        try:
            stage.furnish(data_dir)
        except (StoreError, OSError) as error:
            raise ProofFailed(
                f"the private copy of the store could not be made: {error}", "graymatter status"
            ) from None
        command = stage.redirected(command)
        return Proof(PROMPT, _shown_block(stage, command), _ratio(stage, command, runs), runs)


def _shown_block(stage: Stage, command: list[str]) -> str:
    """The block of one run, with the sample fact in it; ProofFailed otherwise."""
    try:
        done = stage.run(command, _FIELDS)
    except OSError as error:
        raise ProofFailed(f"{command[0]} cannot be started: {error.strerror}", "graymatter hooks install") from None
    except subprocess.TimeoutExpired:
        raise ProofFailed(f"{command[0]} did not end within {TIMEOUT_S} s", "graymatter hooks install") from None
    if done.returncode:
        raise ProofFailed(f"{command[0]} ended with status {done.returncode}", "graymatter hooks install")
    if not done.stdout:
        receipt = stage.receipt()
        why = (
            f"its receipt is {receipt}"
            if receipt
            else f"it left no receipt, so {interpreter()} could not load the hook"
        )
        raise ProofFailed(f"the hook answered nothing: {why}", "graymatter status")
    block = context_of(done.stdout)
    if block is None:
        raise ProofFailed("the hook's answer is not the documented JSON object", "install gmhooks again")
    if block.count(SAMPLE) != 1:
        raise ProofFailed("the hook's block does not hold the sample fact exactly once", "install gmhooks again")
    return block


def _ratio(stage: Stage, command: list[str], runs: int) -> float:
    """Median time of the command over that of an empty Python program, runs taken in turn."""
    bare = [interpreter(), "-I", "-S", "-c", "pass"]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for each, taken in zip((bare, command), times, strict=True):
            start = time.perf_counter()
            stage.run(each, _FIELDS)
            taken.append(time.perf_counter() - start)
    return statistics.median(times[1]) / statistics.median(times[0])
