"""Start one process with a payload on stdin, wait for it, and say what it cost."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

PIPE_ROOM = 65_536


@dataclass(frozen=True)
class Command:
    """A program with all it is given: argument vector, environment, working directory, stdin file."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: Path
    stdin: Path

    def prefixed(self, *words: str) -> Command:
        """The same command run by another program (valgrind, strace)."""
        return Command((*words, *self.argv), self.env, self.cwd, self.stdin)


@dataclass(frozen=True)
class Sample:
    """One run: wall and CPU seconds, exit status (negative: signal) and what it wrote to stdout."""

    wall_s: float
    cpu_s: float
    status: int
    stdout: bytes


def run(command: Command) -> Sample:
    """Run `command` once; stderr goes to /dev/null, stdout to a pipe that is read after the end.

    The pipe holds 64 KiB, several times what a hook may print, so nothing has to read beside the run.
    Time starts before posix_spawn and stops when wait4 returns. Children that outlive the process are
    not waited for and not counted.
    """
    here = os.getcwd()
    receive, send = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.fspath(command.stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, send, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        os.chdir(command.cwd)
        begun = time.perf_counter_ns()
        pid = os.posix_spawn(command.argv[0], command.argv, command.env, file_actions=actions)
        _, raw, usage = os.wait4(pid, 0)
        ended = time.perf_counter_ns()
        os.set_blocking(receive, False)
        return Sample(
            wall_s=(ended - begun) / 1e9,
            cpu_s=usage.ru_utime + usage.ru_stime,
            status=os.waitstatus_to_exitcode(raw),
            stdout=_available(receive),
        )
    finally:
        os.chdir(here)
        os.close(receive)
        os.close(send)


def _available(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, PIPE_ROOM)
    except BlockingIOError:
        return b""
