"""Instructions of one process, counted by valgrind: the figure that a busy machine does not move."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun

ATTEMPTS = 5

# A hook ends itself after a third of a second, and valgrind makes it fifty times slower: strace, where there
# is one, answers its alarm without setting it and moves its watchdog's wake-up time into 2038.
_STOPPED_CLOCK = (
    *("-f", "--seccomp-bpf", "-qq", "-o", os.devnull, "-e", "trace=setitimer,clock_nanosleep"),
    *("-e", "inject=setitimer:retval=0"),
    *("-e", "inject=clock_nanosleep:poke_enter=@arg3=ffffff7f00000000:when=1"),
)
_COLLECTED = re.compile(r"^==(\d+)== Collected : (\d+)", re.MULTILINE)
_FIRST_PID = re.compile(r"^==(\d+)== ", re.MULTILINE)


def absent() -> str | None:
    """Why instructions cannot be counted here, or None."""
    return None if shutil.which("valgrind") else "valgrind is not installed"


def instructions(command: Command, check: Callable[[Sample], None]) -> int:
    """Instructions of the process itself, without children it leaves behind.

    A run that was cut short fails `check`, is repeated, and never enters a figure. Raises InvalidRun after
    five tries.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise InvalidRun("valgrind is not installed")
    failure: InvalidRun | None = None
    for _ in range(ATTEMPTS):
        with tempfile.TemporaryDirectory() as scratch:
            log = Path(scratch, "log")
            options = ("--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}")
            sample = run(command.prefixed(*_clock_stopper(), valgrind, *options))
            text = log.read_text(encoding="ascii", errors="replace")
        try:
            check(sample)
            return _own_count(text)
        except InvalidRun as error:
            failure = error
    raise InvalidRun(f"{failure} ({ATTEMPTS} tries under valgrind)")


def median_instructions(commands: list[Command], check: Callable[[Sample], None]) -> int:
    """The median over several commands of one kind, each counted once."""
    return int(statistics.median(instructions(command, check) for command in commands))


def _clock_stopper() -> tuple[str, ...]:
    strace = shutil.which("strace")
    return (strace, *_STOPPED_CLOCK) if strace else ()


def _own_count(log: str) -> int:
    first = _FIRST_PID.search(log)
    counts = dict(_COLLECTED.findall(log))
    if first is None or first[1] not in counts:
        raise InvalidRun("the process ended before valgrind could report its count")
    return int(counts[first[1]])
