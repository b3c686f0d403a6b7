"""P3: no hook runs longer than its bound, whatever is stuck, missing, full or standing in its way.

Wall time on a busy machine says more about the machine than about the hook: each bound counts from what an empty run of the
same interpreter takes under the same load.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.faults.corrupt import facts, fill
from tests.faults.ground import EVENTS, Ended, Ground, ended
from tests.faults.judge import judge
from tests.faults.outcome import Outcome

SLACK = 1  # times the bound that the suite allows on a machine that does other things too
OWN_BOUND_MS = 330  # when the watchdog of a hook ends it
BOUNDS_MS = {"SessionStart": 400, "UserPromptSubmit": 400, "PreCompact": 400, "SessionEnd": 1500}
_QUESTION = "Which relay of the harbour is calibrated on which weekday?"
_SAID = "holding"
_WRITER = f"""
import os, signal, sys
from gmhooks.store.writer import run
def work(store):
    os.write(1, b"{_SAID}\\n")
    sys.stdin.read()
run(sys.argv[1], work, True)
"""
_OPENER = f"""
import fcntl, os, sys
fd = os.open(sys.argv[1] + "/gray.mdb-lock", os.O_RDWR)
fcntl.lockf(fd, fcntl.LOCK_EX, 1)
os.write(1, b"{_SAID}\\n")
sys.stdin.read()
"""
_READERS = f"""
import sys, lmdb
env = lmdb.open(sys.argv[1] + "/gray.mdb", subdir=False, readonly=True, create=False, max_readers=510, max_dbs=24)
held = []
try:
    while True:
        held.append(env.begin())
except lmdb.ReadersFullError:
    print("{_SAID}", flush=True)
sys.stdin.read()
"""
_TABLE = 510  # readers that a store has room for
_STATE_LOCK = f"""
import fcntl, os, sys
fd = os.open(sys.argv[1] + "/state", os.O_RDWR)
fcntl.lockf(fd, fcntl.LOCK_EX)
os.write(1, b"{_SAID}\\n")
sys.stdin.read()
"""
HOLDERS = {
    "a stopped writer": _WRITER,
    "a stopped opener": _OPENER,
    "a full reader table": _READERS,
    "a stopped holder of the state": _STATE_LOCK,
}
_IN_THE_WAY = ("gray.mdb", "gray.mdb-lock", "state", "hooks.conf", "hooks.log", "access.log", "spool", "off")
_NEEDED = ("gray.mdb", "gray.mdb-lock", "off")


def obstacles(ground: Ground, rounds: int) -> Outcome:
    """Stuck holders, FIFOs, folders and endless files in place of ours, an open stdin: every event, `rounds` times."""
    outcome = Outcome()
    fill(ground)
    for _ in range(rounds):
        for name, script in HOLDERS.items():
            ground.restore()
            with holder(ground, script):
                _all_events(ground, outcome, name, False)
        for place in _IN_THE_WAY:
            for what, make in _MAKERS.items():
                ground.restore()
                path = str(ground.data / place)
                if os.path.isdir(path):
                    os.rmdir(path)
                elif os.path.lexists(path):
                    os.unlink(path)
                make(path)
                _all_events(ground, outcome, f"{what} as {place}", place not in _NEEDED, transcript=path)
        ground.restore()
        _open_stdin(ground, outcome)
    return outcome


_MAKERS: dict[str, Callable[[str], object]] = {
    "a FIFO": os.mkfifo,
    "a folder": os.mkdir,
    "a link to /dev/zero": lambda path: os.symlink("/dev/zero", path),
    "a link to itself": lambda path: os.symlink(path, path),
}


def saves(ground: Ground, number: int) -> Outcome:
    """A save while the writer is stopped is acknowledged in time, and is in the store once the writer is gone."""
    outcome = Outcome()
    fill(ground)
    with holder(ground, _WRITER):
        for at in range(number):
            done = ground.hook("UserPromptSubmit", f"remember: saved behind a stopped writer {at}")
            _judge(outcome, "a save behind a stopped writer", done, _empty_ms(ground))
            outcome.expect(done.acknowledged, f"not acknowledged: {done.message!r}")
    with judge() as looker:
        seen = looker.ask(ground.data, "settle", ground.user_dir)
    outcome.expect(len(seen.stored) == len(facts()) + number, f"{len(seen.stored)} facts afterwards, {seen.problems}")
    outcome.count("saves behind a stopped writer", number)
    return outcome


def crowd(ground: Ground, hooks: int) -> Outcome:
    """Many hooks at once: each ends in its bound beyond what as many empty interpreters take, and none fails."""
    outcome = Outcome()
    fill(ground)
    alone = max(_together([ground.shim[0], "-I", "-S", "-c", "pass"], ground, hooks))
    began = time.monotonic()
    running = [ground.start(ground.payload("UserPromptSubmit", _QUESTION)) for _ in range(hooks)]
    with ThreadPoolExecutor(hooks) as pool:
        done = list(pool.map(lambda process: ended(process, "UserPromptSubmit", began), running))
    outcome.count("hooks at once", hooks)
    outcome.count("with facts", sum(bool(one.facts) for one in done))
    outcome.most("slowest ms", max(one.ms for one in done))
    outcome.most("slowest empty interpreter ms", alone)
    for one in done:
        for problem in one.problems:
            outcome.fail(f"{hooks} at once: {problem}")
    # A hook costs about what an empty interpreter does; behind that many of its kind it waits as long again.
    bound = 2 * alone + SLACK * BOUNDS_MS["UserPromptSubmit"]
    outcome.expect(
        max(one.ms for one in done) <= bound,
        f"the slowest took {max(one.ms for one in done):.0f} ms, {bound:.0f} allowed",
    )
    return outcome


def dead_readers(ground: Ground, number: int) -> Outcome:
    """Readers that were killed in an open transaction cost nothing: afterwards hooks read and save. Where they have filled
    the whole table and another program keeps it open, a save waits in the spool until that one is gone."""
    outcome = Outcome()
    fill(ground)
    text = "after the dead readers"
    with holder(ground, _KEEPER):
        killed = 0
        for at in range(0, number, 10):
            batch = [
                subprocess.Popen(
                    ground.program.inside(_DYING_READER, str(ground.data)), env=ground.env, stderr=subprocess.DEVNULL
                )
                for _ in range(min(10, number - at))
            ]
            killed += sum(process.wait() == -signal.SIGKILL for process in batch)
        saved = ground.hook("UserPromptSubmit", f"remember: {text}")
        asked = ground.hook("UserPromptSubmit", _QUESTION)
    outcome.count("killed readers", killed)
    directly = "kept safely" not in saved.message
    outcome.expect(saved.acknowledged and directly == (killed < _TABLE), f"after {killed} dead readers: {saved}")
    outcome.expect(asked.facts, f"after {killed} dead readers: {asked}")
    with judge() as looker:
        seen = looker.ask(ground.data, "settle", ground.user_dir)
    outcome.expect(text in seen.stored and not seen.problems, f"after {killed} dead readers: {seen}")
    return outcome


_KEEPER = f"""
import sys, lmdb
env = lmdb.open(sys.argv[1] + "/gray.mdb", subdir=False, readonly=True, create=False, max_readers=510, max_dbs=24)
print("{_SAID}", flush=True)
sys.stdin.read()
"""


_DYING_READER = """
import os, sys, lmdb
env = lmdb.open(sys.argv[1] + "/gray.mdb", subdir=False, readonly=True, create=False, max_readers=510, max_dbs=24)
txn = env.begin()
os.kill(os.getpid(), 9)
"""


@contextmanager
def holder(ground: Ground, script: str) -> Iterator[None]:
    """A process that holds something and is then stopped, for the time of the block."""
    process = subprocess.Popen(
        ground.program.inside(script, str(ground.data)), env=ground.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline().strip() == _SAID.encode()
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def _all_events(ground: Ground, outcome: Outcome, name: str, shows: bool, transcript: str = "") -> None:
    empty = _empty_ms(ground)
    for event in EVENTS:
        done = ground.hook(event, _QUESTION, transcript_path=transcript)
        _judge(outcome, name, done, empty)
        if shows and event in ("SessionStart", "UserPromptSubmit"):
            # Beside other programs a hook may run into its own bound, and then says nothing, as it should.
            cut = SLACK > 1 and done.ms >= OWN_BOUND_MS
            outcome.expect(done.facts or cut, f"{name}, {event}: nothing was shown after {done.ms:.0f} ms")
    done = ground.hook("UserPromptSubmit", "remember: saved in spite of it")
    _judge(outcome, name, done, empty)
    outcome.expect(done.message, f"{name}: the user was not told what became of a save")


def _judge(outcome: Outcome, name: str, done: Ended, empty_ms: float) -> None:
    outcome.count("runs")
    outcome.most(f"slowest {done.event} ms", done.ms)
    for problem in done.problems:
        outcome.fail(f"{name}, {done.event}: {problem}")
    bound = SLACK * BOUNDS_MS[done.event] + empty_ms
    outcome.expect(done.ms <= bound, f"{name}, {done.event}: {done.ms:.0f} ms, {bound:.0f} allowed")


def _open_stdin(ground: Ground, outcome: Outcome) -> None:
    for event, word in (("UserPromptSubmit", "user-prompt"), ("SessionEnd", "session-end")):
        empty = _empty_ms(ground)
        began = time.monotonic()
        process = subprocess.Popen(
            [*ground.launcher, word], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=ground.env, cwd=ground.project,
        )  # fmt: skip
        assert process.stdout
        assert process.stderr
        out, err = process.stdout.read(), process.stderr.read()
        _judge(
            outcome, "an open stdin", Ended(event, process.wait(), out, err, (time.monotonic() - began) * 1000), empty
        )
        assert process.stdin
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def _empty_ms(ground: Ground) -> float:
    return max(_together([ground.shim[0], "-I", "-S", "-c", "pass"], ground, 1))


def _together(command: list[str], ground: Ground, number: int) -> list[float]:
    """How long each of as many processes takes, all started at once, in ms."""
    began = time.monotonic()
    running = [subprocess.Popen(command, env=ground.env) for _ in range(number)]

    def wait(process: subprocess.Popen[bytes]) -> float:
        process.wait()
        return (time.monotonic() - began) * 1000

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(wait, running))
