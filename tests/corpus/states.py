"""The `store_state` words: what has happened to the project's store before the hook runs, and how it is undone."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.corpus import mounts
from tests.corpus.cases import MachineLacks
from tests.corpus.launch import rights_dropper
from tests.corpus.words import Words
from tests.corpus.world import World

Fault = Callable[[World], Iterator[None]]
STATES: Words[Fault] = Words("store_state")
NEEDS_ORDINARY_USER = {"lock_owned_by_root"}

_DATA, _LOCK = "gray.mdb", "gray.mdb-lock"
_SAID = "holding"
_STOPPED_WRITER = f"""
import os, signal, sys
from gmhooks.store.writer import run
def work(store):
    os.write(1, b"{_SAID}\\n")
    os.kill(os.getpid(), signal.SIGSTOP)
run(sys.argv[1], work)
"""
_READERS = f"""
import sys, lmdb
env = lmdb.open(sys.argv[1], subdir=False, readonly=True, create=False, max_readers=510, max_dbs=24)
held = []
try:
    while True:
        held.append(env.begin())
except lmdb.ReadersFullError:
    print("{_SAID}", flush=True)
sys.stdin.read()
"""
_NEWER = """
import sys
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import META, SCHEMA, seal
from gmhooks.store.records import pack_identity
from gmhooks.store.writer import run
def work(store):
    store.identity.min_writer = SCHEMA + 1
    store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(store.identity)))
run(sys.argv[1], work, True)
"""
_VERIFY = """
import sys
from gmhooks.store.check import verify
print("\\n".join(verify(sys.argv[1])), end="")
"""


@contextmanager
def faulty(world: World, name: str | None) -> Iterator[None]:
    """The store in this state for the time of the block; healthy again after it."""
    if name is None:
        yield
        return
    yield from STATES[name](world)


def store_problems(world: World) -> str:
    """What the program's own check finds in the store; empty when it is sound."""
    ran = subprocess.run(
        world.program.inside(_VERIFY, str(world.store)),
        env=world.env(),
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout if ran.returncode == 0 else ran.stderr.strip()[-300:]


@STATES("writer_sigstopped")
def _stuck_writer(world: World) -> Iterator[None]:
    with _holder(world, _STOPPED_WRITER, world.store) as writer:
        os.waitid(os.P_PID, writer.pid, os.WSTOPPED | os.WNOWAIT)
        yield


@STATES("reader_table_full")
def _no_reader_slot(world: World) -> Iterator[None]:
    with _holder(world, _READERS, world.store / _DATA):
        yield


@STATES("data_garbage")
def _garbage(world: World) -> Iterator[None]:
    def spoil(data: Path) -> None:
        data.write_bytes(random.Random(7).randbytes(data.stat().st_size))

    yield from _spoiled(world, spoil)


@STATES("data_truncated_half")
def _half(world: World) -> Iterator[None]:
    yield from _spoiled(world, lambda data: os.truncate(data, data.stat().st_size // 2))


@STATES("data_fifo")
def _fifo(world: World) -> Iterator[None]:
    def replace(data: Path) -> None:
        data.unlink()
        os.mkfifo(data)

    yield from _spoiled(world, replace)


@STATES("lock_owned_by_root")
def _foreign_lock(world: World) -> Iterator[None]:
    lock = world.store / _LOCK
    if os.geteuid() != 0:
        raise MachineLacks("needs root to give the lock file to another user")
    lock.touch()
    os.chown(lock, 65534, 65534)
    os.chmod(lock, 0o600)
    yield
    os.chown(lock, 0, 0)


@STATES("lock_symlink_victim")
def _lock_is_link(world: World) -> Iterator[None]:
    lock, victim = world.store / _LOCK, world.home / "diary.txt"
    victim.write_text("mine\n")
    lock.unlink(missing_ok=True)
    lock.symlink_to(victim)
    yield
    lock.unlink()


@STATES("fs_full")
def _full(world: World) -> Iterator[None]:
    mounts.full(world.store)
    yield
    mounts.relieve(world.store)


@STATES("fs_readonly")
def _read_only(world: World) -> Iterator[None]:
    mounts.read_only(world.store)
    yield
    mounts.relieve(world.store)


@STATES("schema_newer")
def _newer(world: World) -> Iterator[None]:
    data = world.store / _DATA
    kept = data.read_bytes()
    ran = subprocess.run(
        world.program.inside(_NEWER, str(world.store)),
        env=world.env(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    yield
    data.write_bytes(kept)


def _spoiled(world: World, spoil: Callable[[Path], None]) -> Iterator[None]:
    data = world.store / _DATA
    kept = world.base / "kept.mdb"
    shutil.copy2(data, kept)
    spoil(data)
    yield
    data.unlink()
    shutil.move(kept, data)


@contextmanager
def _holder(world: World, script: str, target: Path) -> Iterator[subprocess.Popen[bytes]]:
    holder = subprocess.Popen(
        [*rights_dropper(), *world.program.inside(script, str(target))],
        env=world.env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert holder.stdout is not None
        said = holder.stdout.readline().decode().strip()
        assert said == _SAID, f"the process that should hold the store said {said!r}"
        yield holder
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
