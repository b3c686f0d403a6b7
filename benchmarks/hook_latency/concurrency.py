"""Eight prompts at once beside four writers that never stop, and eight empty programs beside the same writers."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hook_latency.cases import Case, trouble
from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun
from gmhooks.store.env import open_read
from gmhooks.store.namespaces import find

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HOOKS = 8
WRITERS = 4
FIRST_READ = 200_000
FIRST_WRITTEN = 1_000_000
_APART = 100_000


@dataclass
class Crowd:
    """What came of it: wall seconds of each hook and of each empty program, saves made and found, failures."""

    hooks: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    saved: int = 0
    stored: int = 0
    failures: list[str] = field(default_factory=list)


def crowd(prompt: Case, remember: Case, empty: Command, scratch: Path, bursts: int) -> Crowd:
    """Run `bursts` of either kind in a shuffled order while the writers save through the installed hook."""
    found = Crowd()
    before, troubles = _live(prompt), trouble(prompt.stage)
    with _Writers(remember, scratch) as writers:
        kinds = ["hooks", "empty"] * bursts
        random.Random(bursts).shuffle(kinds)
        for number, kind in enumerate(kinds):
            first = FIRST_READ + number * HOOKS
            commands = [
                prompt.command(first + each, scratch, launcher=True) if kind == "hooks" else empty for each in range(HOOKS)
            ]
            check = prompt.check if kind == "hooks" else _ended_well
            walls, wrong = burst(commands, check)
            getattr(found, kind).extend(walls)
            found.failures += wrong
        found.saved, wrong = writers.stop()
        found.failures += wrong
    run(remember.command(FIRST_WRITTEN - 1, scratch, launcher=True))  # files what waits in the spool
    found.stored = _live(prompt) - before - 1
    cut = trouble(prompt.stage) - troubles
    if cut > 0:
        found.failures.append(f"{cut} hooks cut short, or failed")
    return found


def burst(commands: list[Command], check: Callable[[Sample], None]) -> tuple[list[float], list[str]]:
    """Start all commands at once; the wall seconds of each from its own start to its end, and what went wrong."""
    outputs = [os.pipe() for _ in commands]
    begun: dict[int, int] = {}
    ended: dict[int, tuple[float, int]] = {}
    place: dict[int, int] = {}
    here = os.getcwd()
    os.chdir(commands[0].cwd)
    try:
        for at, command in enumerate(commands):
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, os.fspath(command.stdin), os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, outputs[at][1], 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ]
            started = time.perf_counter_ns()
            pid = os.posix_spawn(command.argv[0], command.argv, command.env, file_actions=actions)
            begun[pid], place[pid] = started, at
        while len(ended) < len(begun):
            pid, raw = os.waitpid(-1, 0)
            if pid in begun:
                ended[pid] = ((time.perf_counter_ns() - begun[pid]) / 1e9, os.waitstatus_to_exitcode(raw))
        wrong = []
        for pid, (wall, status) in ended.items():
            try:
                check(Sample(wall, 0.0, status, _said(*outputs[place[pid]])))
            except InvalidRun as error:
                wrong.append(str(error))
        return [wall for wall, _ in ended.values()], wrong
    finally:
        os.chdir(here)


def _said(receive: int, send: int) -> bytes:
    os.close(send)
    with open(receive, "rb") as pipe:
        return pipe.read()


def _ended_well(sample: Sample) -> None:
    if sample.status != 0 or sample.stdout:
        raise InvalidRun("the empty program failed")


def _live(case: Case) -> int:
    store = open_read(str(case.stage.data_dir))
    try:
        ns = find(store, case.stage.project.name)
        return ns.live if ns else 0
    finally:
        store.close()


class _Writers:
    """Processes that run the remember case again and again; `stop` says how often they did and what went wrong."""

    def __init__(self, case: Case, scratch: Path) -> None:
        context = multiprocessing.get_context("fork")
        self._ends: list[Connection] = []
        self._processes = []
        for number in range(WRITERS):
            own, theirs = context.Pipe()
            first = FIRST_WRITTEN + number * _APART
            process = context.Process(target=_write, args=(case, scratch, first, theirs))
            process.start()
            theirs.close()
            self._ends.append(own)
            self._processes.append(process)

    def __enter__(self) -> _Writers:
        return self

    def __exit__(self, *failure: object) -> None:
        for process in self._processes:
            if failure[0] is not None:
                process.terminate()
            process.join()

    def stop(self) -> tuple[int, list[str]]:
        """End them after the save they are at."""
        for end in self._ends:
            end.send(None)
        told: list[tuple[int, list[str]]] = [end.recv() for end in self._ends]
        return sum(count for count, _ in told), [each for _, wrong in told for each in wrong]


def _write(case: Case, scratch: Path, first: int, end: Connection) -> None:
    count = 0
    wrong = []
    while not end.poll():
        sample = run(case.command(first + count, scratch, launcher=True))
        count += 1
        try:
            case.check(sample)
        except InvalidRun as error:
            wrong.append(str(error))
    end.send((count, wrong))
