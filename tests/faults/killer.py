"""P1: kill -9 at named places and at random moments, in hooks and in the command, also while the lock holder is stopped.

A run that was killed too rarely where it matters, or that acknowledged too little, fails: it would prove nothing.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.faults.ground import Ground
from tests.faults.judge import Judge, judge
from tests.faults.outcome import Outcome

PLACES = ("after_aside", "after_flock", "before_commit", "after_commit", "before_unlink")
_BETWEEN = ("after_flock", "before_commit")
_DRAWN = (*PLACES, *_BETWEEN)  # these two twice as often
_BATCH = 50
_HOLDER = """
import sys
from gmhooks.store.lock import try_lock
try_lock(sys.argv[1], 1000, 0.01)
print("holding", flush=True)
sys.stdin.read()
"""


def kills(ground: Ground, number: int, seed: int = 1) -> Outcome:
    """Kill `number` writers, two at a time on one store; every text whose save was acknowledged must be there afterwards.
    Of 100 kills at least 10 must lie between lock and commit and at least 40 saves be acknowledged beside them."""
    outcome = Outcome()
    for name in ("kills", "kills between lock and commit", "acknowledged", "lost", "damaged"):
        outcome.count(name, 0)
    rng = random.Random(seed)
    acknowledged: set[str] = set()
    known = 0
    usual = sorted(ground.hook("UserPromptSubmit", f"remember: how long {n}", bare=True).ms for n in range(5))[2] / 1000
    guard = threading.Lock()
    with judge() as looker, ThreadPoolExecutor(2) as pool:
        while outcome.figures["kills"] < number and not outcome.failures:
            stopped = known // _BATCH % 5 == 1
            plans = [(f"note {known + n} of seed {seed}", rng.random(), rng.random()) for n in range(_BATCH)]
            known += _BATCH

            def work(plan: tuple[str, float, float], stopped: bool = stopped) -> None:
                _round(ground, plan, stopped, usual, outcome, acknowledged, guard)

            with _holder(ground, stopped):
                list(pool.map(work, plans))
            _check(ground, looker, outcome, acknowledged)
    outcome.count("acknowledged", len(acknowledged))
    outcome.need(number // 10, "kills between lock and commit")
    outcome.need(number * 4 // 10, "acknowledged")
    return outcome


def _round(
    ground: Ground,
    plan: tuple[str, float, float],
    stopped: bool,
    usual: float,
    outcome: Outcome,
    acknowledged: set[str],
    guard: threading.Lock,
) -> None:
    """One writer and how it dies: at a place (two in five), or at a random moment of the `usual` seconds that a hook takes;
    some are the command, some live on."""
    text, kind, chance = plan
    if kind < 0.4:
        place = _DRAWN[int(chance * len(_DRAWN))]
        done = ground.hook("UserPromptSubmit", f"remember: {text}", bare=True, extra={"GM_FAULT": place})
        killed, said = done.status == -signal.SIGKILL, done.acknowledged
        where = place
    elif kind < 0.65:
        process = ground.start(ground.payload("UserPromptSubmit", f"remember: {text}"), bare=True)
        killed, out = _killed_after(process, chance * usual * 1.5)
        said, where = b"Saved to" in out, "at a random moment"
    elif kind < 0.7:
        place = _DRAWN[int(chance * 5 * len(_DRAWN)) % len(_DRAWN)] if chance < 0.4 else ""
        process = subprocess.Popen(
            [ground.program.graymatter, "remember", text],
            cwd=ground.project, env={**ground.env, "GM_FAULT": place}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        killed, out = _killed_after(process, 60 if place else 0.05 + chance * 0.5)
        said, where = b"emembered in" in out or b"Saved to disk" in out, f"in the command {place}".rstrip()
    else:
        done = ground.hook("UserPromptSubmit", f"remember: {text}")
        killed, said, where = False, done.acknowledged, ""
    with guard:
        if killed:
            outcome.count("kills")
            outcome.count(f"kills {where}" + (", lock holder stopped" if stopped else ""))
            if where.endswith(_BETWEEN):
                outcome.count("kills between lock and commit")
        if said:
            acknowledged.add(text)


def _killed_after(process: subprocess.Popen[bytes], seconds: float) -> tuple[bool, bytes]:
    """Kill a process after that time; whether it was still there, and what it had printed."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    out, _ = process.communicate()
    timer.cancel()
    return process.returncode == -signal.SIGKILL, out


@contextmanager
def _holder(ground: Ground, stopped: bool) -> Iterator[None]:
    """A process that is stopped while it holds the write lock, for the time of the block."""
    if not stopped:
        yield
        return
    process = subprocess.Popen(
        ground.program.inside(_HOLDER, str(ground.data)), env=ground.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline()
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def _check(ground: Ground, looker: Judge, outcome: Outcome, acknowledged: set[str]) -> None:
    seen = looker.ask(ground.data, "settle", ground.user_dir)
    lost = acknowledged - set(seen.stored)
    outcome.count("lost", len(lost))
    if lost:
        outcome.fail(f"{len(lost)} acknowledged saves are gone, one of them {min(lost)!r}")
    if seen.problems or seen.died:
        outcome.count("damaged")
        outcome.fail(f"the store is not sound: signal {seen.died}, {seen.problems[:2]}")


def survivors(ground: Ground, rounds: int) -> Outcome:
    """After a kill a hook works as ever: nothing is held, nothing has to be repaired."""
    outcome = Outcome()
    for number in range(rounds * len(PLACES)):
        place = PLACES[number % len(PLACES)]
        ground.hook("UserPromptSubmit", f"remember: killed {number}", bare=True, extra={"GM_FAULT": place})
        done = ground.hook("UserPromptSubmit", f"remember: later than {number}")
        outcome.count("saves after a kill")
        outcome.expect(done.acknowledged and not done.problems, f"after a kill {place}: {done}")
    return outcome
