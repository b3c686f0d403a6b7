"""System calls of one process, read from strace: how many, what was written where, what was synced."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun

_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*?)>)?")
_DESCRIPTOR = re.compile(r"^(\d+)<(.*?)>")
_WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
_SYNCS = {"fsync", "fdatasync", "msync", "sync_file_range", "sync", "syncfs"}


@dataclass(frozen=True)
class Trace:
    """What one process asked of the kernel (threads and children are not followed)."""

    calls: Counter[str]
    written: Counter[str]
    synchronous_writes: int

    @property
    def total(self) -> int:
        """The number of system calls."""
        return sum(self.calls.values())

    @property
    def syncs(self) -> Counter[str]:
        """Calls that wait for the disk, by name."""
        return Counter({name: count for name, count in self.calls.items() if name in _SYNCS})

    def written_below(self, folder: Path) -> Counter[str]:
        """Bytes written to each file of `folder`, by name relative to it."""
        prefix = f"{folder}/"
        own = {path: size for path, size in self.written.items() if path.startswith(prefix)}
        return Counter({path.removeprefix(prefix): size for path, size in own.items()})


def absent() -> str | None:
    """Why system calls cannot be traced here, or None."""
    return None if shutil.which("strace") else "strace is not installed"


def trace(command: Command) -> tuple[Trace, Sample]:
    """Run `command` under strace. Raises InvalidRun when strace cannot attach."""
    strace = shutil.which("strace")
    if strace is None:
        raise InvalidRun("strace is not installed")
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch, "log")
        sample = run(command.prefixed(strace, "-y", "-s", "0", "-o", str(log)))
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if "execve(" not in text:
        raise InvalidRun("strace could not attach to the process")
    return read(text), sample


def read(log: str) -> Trace:
    """Sum up the text of an `strace -y` log."""
    calls: Counter[str] = Counter()
    written: Counter[str] = Counter()
    durable: set[str] = set()
    synchronous = 0
    for line in log.splitlines():
        call = _CALL.match(line)
        if call is None:
            continue
        name, arguments, result = call[1], call[2], int(call[3])
        calls[name] += 1
        if name in {"open", "openat"} and result >= 0:
            durable.discard(call[3])
            if "O_DSYNC" in arguments or "O_SYNC" in arguments:
                durable.add(call[3])
        target = _DESCRIPTOR.match(arguments)
        if name == "close" and target:
            durable.discard(target[1])
        if name in _WRITES and target and result >= 0:
            written[target[2]] += result
            synchronous += target[1] in durable
    return Trace(calls, written, synchronous)
