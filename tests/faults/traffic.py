"""P1, P3 and P20 under load: hooks and writers side by side, doubled runs, backups of a store that is being written."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tests.faults.corrupt import fill
from tests.faults.ground import Ended, Ground, ended
from tests.faults.judge import judge
from tests.faults.outcome import Outcome

_QUESTION = "Which relay of the harbour is calibrated on which weekday?"
_WRITER = """
import sys
from gmhooks.store.writer import save
n = 0
while True:
    made = save(sys.argv[1], [("project", f"{sys.argv[2]} wrote {n}", 1, 0)], 1_800_000_000_000_000 + n, True)
    print(made[0].text, flush=True)
    n += 1
"""


def side_by_side(ground: Ground, seconds: int, hooks: int = 8, writers: int = 4) -> Outcome:
    """Hooks that read and writers that save all the time: none fails, nothing is lost, readers do not wait for writers."""
    outcome = Outcome()
    fill(ground)
    calm = _pace(ground, hooks, min(seconds, 10), Outcome())
    running = [
        subprocess.Popen(
            ground.program.inside(_WRITER, str(ground.data), f"writer {number}"), env=ground.env, stdout=subprocess.PIPE
        )
        for number in range(writers)
    ]
    written: list[bytes] = []
    threads = [threading.Thread(target=_read, args=(process, written)) for process in running]
    for thread in threads:
        thread.start()
    busy = _pace(ground, hooks, seconds, outcome)
    for process in running:
        process.kill()
    for process, thread in zip(running, threads, strict=True):
        thread.join()
        process.communicate()
    with judge() as looker:
        seen = looker.ask(ground.data, "settle", ground.user_dir)
    lost = {line.decode() for line in written} - set(seen.stored)
    outcome.count("saves by writers", len(written))
    outcome.count("saves lost", len(lost))
    outcome.expect(not lost and not seen.problems and not seen.died, f"{len(lost)} lost, {seen.problems[:1]}")
    outcome.most("median hook ms without writers", calm)
    outcome.most("median hook ms with writers", busy)
    # The writers take the processors too: each process in the queue may cost a hook its share, a lock would cost more.
    bound = calm * (hooks + writers) / hooks * 2
    outcome.expect(busy <= bound, f"hooks waited for writers: {busy:.0f} ms beside {calm:.0f}, {bound:.0f} allowed")
    return outcome


def _pace(ground: Ground, hooks: int, seconds: float, outcome: Outcome) -> float:
    """Median time of hooks, so many at a time for so long."""
    end = time.monotonic() + seconds
    times: list[float] = []

    def work(number: int) -> None:
        del number
        while time.monotonic() < end:
            done = ground.hook("UserPromptSubmit", _QUESTION)
            times.append(done.ms)
            outcome.count("hooks")
            for problem in done.problems:
                outcome.fail(problem)
            outcome.expect(done.facts, "a hook showed nothing")

    with ThreadPoolExecutor(hooks) as pool:
        list(pool.map(work, range(hooks)))
    return sorted(times)[len(times) // 2]


def _read(process: subprocess.Popen[bytes], into: list[bytes]) -> None:
    assert process.stdout
    for line in process.stdout:
        into.append(line.rstrip(b"\n"))


def doubled(ground: Ground, runs: int) -> Outcome:
    """A hook that is installed twice: one copy answers and one saves, whichever comes first and however close they are."""
    outcome = Outcome()
    for name in ("pairs", "answered twice", "answered by none", "saved twice"):
        outcome.count(name, 0)
    fill(ground)
    for number in range(runs):
        payload = ground.payload(
            "UserPromptSubmit", f"remember: doubled {number}\n\n{_QUESTION}", prompt_id="one for all"
        )
        first = ground.start(payload)
        began = time.monotonic()
        while time.monotonic() - began < number % 4 * 0.02:
            pass
        second = ground.start(payload)
        done = [ended(process, "UserPromptSubmit", began) for process in (first, second)]
        answers = sum(bool(each.out) for each in done)
        outcome.count("pairs")
        outcome.count("answered twice", answers == 2)
        outcome.count("answered by none", answers == 0)
        outcome.expect(answers == 1, f"pair {number}: {answers} answers")
    with judge() as looker:
        stored = looker.ask(ground.data, "settle", ground.user_dir).stored
    twice = [text for text in set(stored) if text.startswith("doubled") and stored.count(text) > 1]
    there = sum(text.startswith("doubled") for text in stored)
    outcome.count("saved twice", len(twice))
    outcome.expect(not twice and there == runs, f"{there} of {runs} saves are there, {len(twice)} twice")
    return outcome


def backups(ground: Ground, copies: int) -> Outcome:
    """P20: copies of a store under load verify, and a restored one holds what was acknowledged before it was made."""
    outcome = Outcome()
    fill(ground)
    writer = subprocess.Popen(
        ground.program.inside(_WRITER, str(ground.data), "the load"), env=ground.env, stdout=subprocess.PIPE
    )
    assert writer.stdout
    made: list[tuple[str, str]] = []
    try:
        for _ in range(copies):
            known = writer.stdout.readline().decode().strip()
            made.append((json.loads(ground.cli("backup", "--json"))["path"], known))
    finally:
        writer.kill()
        writer.communicate()
    with judge() as looker:
        for path, known in made:
            ground.cli("restore", path)
            seen = looker.ask(ground.data, "read")
            outcome.count("restored")
            outcome.expect(
                known in seen.stored and not seen.problems and not seen.died,
                f"{path}: {known!r} gone, {seen.problems[:1]}",
            )
            for replaced in ground.data.glob("gray.mdb.replaced-*"):
                replaced.unlink()
    return outcome


def logs(ground: Ground, runs: int) -> Outcome:
    """Hooks that fail all the time: hooks.log and the one before it stay within 1 MiB each, every line is whole."""
    outcome = Outcome()
    (ground.data / "hooks.log").write_bytes(b'{"ts":"","event":"","code":"filler","ms":0,"detail":""}\n' * 18_700)
    done: list[Ended] = []
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(lambda number: ground.raw("user-prompt", "UserPromptSubmit", b"{" * (number % 5)), range(runs))
        )
    outcome.count("failing hooks", len(done))
    for name in ("hooks.log", "hooks.log.1"):
        path = ground.data / name
        data = path.read_bytes() if path.exists() else b""
        outcome.most("largest log KiB", len(data) / 1024)
        outcome.expect(len(data) <= 1 << 20, f"{name} has {len(data)} bytes")
        for line in data.splitlines():
            try:
                json.loads(line)
            except ValueError:
                outcome.fail(f"{name}: a broken line {line[:80]!r}")
    outcome.expect((ground.data / "hooks.log.1").exists(), "nothing was rotated")
    return outcome
