"""A stuck hook ends by itself, with status 0 as long as any thread of it can run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from gmhooks.hooks import watch

ROOT = str(Path(watch.__file__).parents[2])
THREAD = f"""
import sys; sys.path.insert(0, {ROOT!r})
import posix, time
from gmhooks.hooks.watch import start
start((0.05, 20), lambda: posix.write(1, b"expired"))
time.sleep(60)
"""
ALARM = f"""
import sys; sys.path.insert(0, {ROOT!r})
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
from gmhooks.hooks.watch import start
start((50, 0.05), print)
while True:
    pass
"""
RAISING = f"""
import sys; sys.path.insert(0, {ROOT!r})
import time
from gmhooks.hooks.watch import start
start((0.05, 20), lambda: 1 / 0)
time.sleep(60)
"""


def run(program: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, timeout=30, env=dict(os.environ), check=False
    )


def test_a_stuck_hook_leaves_its_last_word_and_ends_with_status_0() -> None:
    done = run(THREAD)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"expired", b"")


def test_a_last_word_that_fails_still_ends_with_status_0() -> None:
    done = run(RAISING)
    assert (done.returncode, done.stdout) == (0, b"")


def test_an_alarm_that_the_parent_blocked_ends_a_hook_whose_threads_are_stuck() -> None:
    assert run(ALARM).returncode == -signal.SIGALRM


def test_the_limits_leave_room_below_those_of_the_client() -> None:
    assert watch.LIMITS == (0.33, 0.37)
    assert watch.END_LIMITS == (1.3, 1.45)
