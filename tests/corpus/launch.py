"""Starts one process in stated surroundings and reports its status, output, time and memory."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

OPEN_PIPE = "open_pipe_no_data"
PTY = "pty"
BROKEN_PIPE = "broken_pipe"
LIMIT_S = 30.0


@dataclass
class Surroundings:
    """What the process finds around it, beside its arguments and environment."""

    close_fds: Sequence[int] = ()
    stdin: str | None = None
    stdout: str | None = None
    delete_cwd: bool = False
    umask: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    blocked: Sequence[str] = ()
    drop_rights: bool = False
    chunk_bytes: int | None = None
    chunk_delay_s: float = 0.0


@dataclass(frozen=True)
class Ran:
    """How a process ended. `rss_mb` is an upper bound: Linux carries the forking parent's peak over exec."""

    status: int
    out: bytes
    err: bytes
    ms: float
    rss_mb: float
    timed_out: bool

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        return self.err.decode("utf-8", "replace")


def rights_dropper() -> list[str]:
    """Command prefix that takes root's capabilities away; empty if we have none to lose."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is needed to run a case as an ordinary user")
    return [setpriv, "--inh-caps=-all", "--bounding-set=-all"]


def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: Path | str,
    payload: Iterable[bytes] = (),
    around: Surroundings | None = None,
    limit_s: float = LIMIT_S,
) -> Ran:
    """Run `argv` to its end, feeding `payload`; kills its process group after `limit_s` seconds."""
    around = around or Surroundings()
    command = (rights_dropper() if around.drop_rights else []) + list(argv)
    ours: list[int] = []
    stdin, feed = _stdin(around, ours)
    stdout, collect = _stdout(around, ours)
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        env=dict(env),
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_child_setup(around, str(cwd)),
    )
    feeder = threading.Thread(target=_feed, args=(process.stdin, payload, around), daemon=True)
    out, err = _Drain(process.stdout if collect else None), _Drain(process.stderr)
    late = threading.Event()
    alarm = threading.Timer(limit_s, _kill_group, args=(process.pid, late))
    alarm.daemon = True
    alarm.start()
    if feed:
        feeder.start()
    _, status, usage = os.wait4(process.pid, 0)
    ms = (time.monotonic() - started) * 1000
    alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    for fd in ours:
        os.close(fd)
    if feed:
        feeder.join(5)
    peak = usage.ru_maxrss / (1024 if os.uname().sysname != "Darwin" else 1024 * 1024)
    return Ran(process.returncode, out.finish(), err.finish(), ms, peak, late.is_set())


def _stdin(around: Surroundings, ours: list[int]) -> tuple[int, bool]:
    if around.stdin == OPEN_PIPE:
        read_end, write_end = os.pipe()
    elif around.stdin == PTY:
        write_end, read_end = os.openpty()
    elif around.stdin is None:
        return subprocess.PIPE, True
    else:
        raise ValueError(f"stdin {around.stdin!r}")
    ours += [read_end, write_end]
    return read_end, False


def _stdout(around: Surroundings, ours: list[int]) -> tuple[int, bool]:
    if around.stdout is None:
        return subprocess.PIPE, True
    if around.stdout == BROKEN_PIPE:
        read_end, write_end = os.pipe()
        os.close(read_end)
    else:
        write_end = os.open(around.stdout, os.O_WRONLY)
    ours.append(write_end)
    return write_end, False


def _child_setup(around: Surroundings, cwd: str) -> Callable[[], None]:
    def setup() -> None:
        if around.delete_cwd:
            os.rmdir(cwd)
        if around.umask is not None:
            os.umask(around.umask)
        for name in around.ignored:
            signal.signal(signal.Signals[name], signal.SIG_IGN)
        if around.blocked:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.Signals[name] for name in around.blocked})
        for name, value in around.limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
        for fd in around.close_fds:
            os.close(fd)

    return setup


def _feed(pipe: IO[bytes], payload: Iterable[bytes], around: Surroundings) -> None:
    with suppress(BrokenPipeError, OSError):
        for piece in payload:
            for part in _parts(piece, around.chunk_bytes):
                pipe.write(part)
                pipe.flush()
                if around.chunk_delay_s:
                    time.sleep(around.chunk_delay_s)
    with suppress(BrokenPipeError, OSError):
        pipe.close()


def _parts(piece: bytes, size: int | None) -> Iterable[bytes]:
    if not size:
        return (piece,)
    return (piece[at : at + size] for at in range(0, len(piece), size))


def _kill_group(pid: int, late: threading.Event) -> None:
    late.set()
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


class _Drain:
    """Collects a pipe in the background; a grandchild that keeps it open costs one second, not the run."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pieces: list[bytes] = []
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        if pipe is not None:
            self._thread.start()

    def _read(self) -> None:
        if self._pipe is None:
            return
        with suppress(OSError, ValueError):
            while piece := os.read(self._pipe.fileno(), 1 << 16):
                self._pieces.append(piece)

    def finish(self) -> bytes:
        if self._pipe is not None:
            self._thread.join(1.0)
            if not self._thread.is_alive():
                self._pipe.close()
        return b"".join(self._pieces)
