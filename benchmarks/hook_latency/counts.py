"""Instructions of one process, counted by valgrind: the figure that a busy machine does not move."""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun

ATTEMPTS = 5
_COLLECTED = re.compile(r"^==(\d+)== Collected : (\d+)", re.MULTILINE)
_FIRST_PID = re.compile(r"^==(\d+)== ", re.MULTILINE)


def absent() -> str | None:
    """Why instructions cannot be counted here, or None."""
    return None if shutil.which("valgrind") else "valgrind is not installed"


def instructions(command: Command, check: Callable[[Sample], None]) -> int:
    """Instructions of the process itself, without children it leaves behind.

    Valgrind slows a process down fifty times, so a hook that watches its own time may end early; such a
    run fails `check`, is repeated, and never enters a figure. Raises InvalidRun after five tries.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise InvalidRun("valgrind is not installed")
    failure: InvalidRun | None = None
    for _ in range(ATTEMPTS):
        with tempfile.TemporaryDirectory() as scratch:
            log = Path(scratch, "log")
            options = ("--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}")
            sample = run(command.prefixed(valgrind, *options))
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


def _own_count(log: str) -> int:
    first = _FIRST_PID.search(log)
    counts = dict(_COLLECTED.findall(log))
    if first is None or first[1] not in counts:
        raise InvalidRun("the process ended before valgrind could report its count")
    return int(counts[first[1]])
