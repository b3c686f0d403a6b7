"""Field cases, section H: storage, concurrency, file systems. Crowds, kills and full disks are in `tests/faults`."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.store.check import verify
from gmhooks.store.errors import StoreError
from tests.hooks.project import Project
from tests.installed import CHECKOUT

_BOUND_S = 4.0
_WRITER = """
import sys
from gmhooks.memory.api import Memory
memory = Memory(sys.argv[1], sys.argv[2])
for number in range(20):
    memory.remember("app", f"fact {number} of {sys.argv[3]}")
"""


def test_f122_writers_side_by_side_lose_nothing(memory: Memory) -> None:
    command = [sys.executable, "-c", _WRITER, str(memory.data_dir), str(memory.user_dir)]
    runs = [subprocess.Popen([*command, str(number)], cwd=CHECKOUT) for number in range(4)]
    assert [run.wait(120) for run in runs] == [0] * 4
    assert {fact.text for fact in memory.list("app")} == {f"fact {n} of {m}" for n in range(20) for m in range(4)}


def test_f127_more_than_the_map_holds_is_written(memory: Memory) -> None:
    text = "a long note about hangars and zeppelins " * 90
    for number in range(400):
        memory.remember("app", f"{number} {text}")
    assert os.stat(Path(memory.data_dir) / "gray.mdb").st_size > 1 << 20
    assert len(memory.list("app")) == 400


@pytest.mark.parametrize("kind", ["fifo", "directory", "loop", "device", "other store"])
def test_f133_f134_what_is_no_regular_file_is_not_opened(project: Project, tmp_path: Path, kind: str) -> None:
    project.add("Zeppelin hangars open at nine")
    file = project.data / "gray.mdb"
    file.rename(tmp_path / "other.mdb")
    {
        "fifo": lambda: os.mkfifo(file),
        "directory": file.mkdir,
        "loop": lambda: file.symlink_to(file),
        "device": lambda: file.symlink_to("/dev/zero"),
        "other store": lambda: file.symlink_to(tmp_path / "other.mdb"),
    }[kind]()
    began = time.monotonic()
    assert project.prompt("zeppelin hangars?").stdout == b""
    assert time.monotonic() - began < _BOUND_S
    with pytest.raises(StoreError):
        Memory(str(project.data), project.user_dir).list("project")


def test_f137_lock_files_without_sense_are_no_locks(project: Project) -> None:
    for name in ("gray.mdb.lock", "lock", "gray.lock"):
        (project.data / name).write_bytes(b"")
    (project.data / "pid").write_bytes("12\n".encode("utf-16"))
    assert "Saved" in project.prompt("remember: The gate code changes on Mondays").message
    assert project.facts() == ["The gate code changes on Mondays"]


def test_f139_a_lock_that_another_process_holds_does_not_hold_the_hook(project: Project) -> None:
    fd = os.open(project.data, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    began = time.monotonic()
    said = project.prompt("remember: The gate code changes on Mondays").message
    project.compact()
    assert time.monotonic() - began < _BOUND_S
    os.close(fd)
    assert "kept safely" in said
    assert verify(str(project.data)) == []
