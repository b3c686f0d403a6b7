"""P7: the n-th system call of a save fails or kills, for every n, until a run in which nothing was hit."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.faults.ground import Ended, Ground, ended
from tests.faults.judge import Judge, judge
from tests.faults.outcome import Outcome

_MOST = 400
WRITING = ("pwrite64", "writev", "fdatasync", "fsync", "write", "rename", "unlink", "ftruncate")
OPENING = (
    "openat",
    "mmap",
    "fstat",
    "fcntl",
    "flock",
    "lseek",
    "newfstatat",
    "pread64",
    "read",
    "getdents64",
    "munmap",
)
_ERRORS = {
    "pwrite64": ("EIO", "ENOSPC"),
    "writev": ("EIO", "ENOSPC"),
    "write": ("EIO", "ENOSPC"),
    "rename": ("EIO", "ENOSPC"),
    "openat": ("EMFILE", "EIO", "ENOSPC"),
    "mmap": ("ENOMEM",),
    "fcntl": ("ENOLCK",),
    "flock": ("ENOLCK", "EWOULDBLOCK"),
}


def failing_calls(ground: Ground, whole: int) -> Outcome:
    """Calls that write with every error and with a kill; with `whole` also those that open and read."""
    outcome = Outcome()
    if shutil.which("strace") is None:
        outcome.not_run = "needs strace"
        return outcome
    for name in ("runs", "injected", "killed", "acknowledged", "acknowledged saves lost", "damaged"):
        outcome.count(name, 0)
    ground.cli("remember", "there before the faults")
    ground.keep()
    twin = Ground(ground.program, ground.base / "twin")
    twin.cli("remember", "there before the faults")
    twin.keep()
    faults = [
        (call, fault)
        for call in (*WRITING, *(OPENING if whole else ()))
        for fault in (*(f"error={error}" for error in _ERRORS.get(call, ("EIO",))), "signal=KILL")
    ]
    with ThreadPoolExecutor(2) as pool:
        halves = [(ground, faults[::2]), (twin, faults[1::2])]
        for part in pool.map(lambda half: _some(*half), halves):
            outcome.add(part)
    return outcome


def _some(ground: Ground, faults: list[tuple[str, str]]) -> Outcome:
    outcome = Outcome()
    with judge() as looker:
        for call, fault in faults:
            for number in range(1, _MOST):
                if not _run(ground, looker, outcome, call, fault, number):
                    break
            else:
                outcome.fail(f"{call} {fault}: no end after {_MOST} runs")
    return outcome


def _run(ground: Ground, looker: Judge, outcome: Outcome, call: str, fault: str, number: int) -> bool:
    """One save whose n-th call of a kind fails; False when there was no such call."""
    ground.restore()
    text = f"Saved while {call} {number} failed with {fault}"
    log = ground.base / "strace.log"
    done = _traced(ground, text, log, f"inject={call}:{fault}:when={number}", call)
    trace = log.read_text(errors="replace")
    hit = "INJECTED" in trace or "killed by SIGKILL" in trace
    outcome.count("runs")
    outcome.count("injected", hit)
    outcome.count("killed", "killed by SIGKILL" in trace)
    outcome.count("acknowledged", done.acknowledged)
    name = f"{call} {number} {fault}"
    if done.status == -signal.SIGALRM:
        outcome.count("ended by the alarm")  # the tracer takes most of a hook's time
    elif done.status and "signal" not in fault:
        # Without its files or memory the interpreter itself cannot start; the launcher around it ends with 0 all the same.
        outcome.count("interpreters that could not start")
        outcome.expect(call in OPENING, f"{name}: status {done.status}")
    seen = looker.ask(ground.data, "settle", ground.user_dir)
    if seen.died or seen.problems:
        outcome.count("damaged")
        outcome.fail(f"{name}: signal {seen.died}, {seen.problems[:2]}")
    if "there before the faults" not in seen.stored or (done.acknowledged and text not in seen.stored):
        outcome.count("acknowledged saves lost")
        outcome.fail(f"{name}: an acknowledged save is gone")
    return hit


def _traced(ground: Ground, text: str, log: Path, inject: str, call: str) -> Ended:
    """The prompt hook under strace; the shell around it is not, so the interpreter's own status is seen."""
    process = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", "-e", inject, *ground.shim, "user-prompt"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ground.env, cwd=ground.project,
    )  # fmt: skip
    assert process.stdin
    try:
        process.stdin.write(json.dumps(ground.payload("UserPromptSubmit", f"remember: {text}")).encode())
        process.stdin.flush()
    except BrokenPipeError:
        pass  # its first call was hit
    return ended(process, "UserPromptSubmit", time.monotonic())
