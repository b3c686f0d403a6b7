"""Several processes at once, and processes that are killed: one answer holds, nothing is half done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.errors import NotFound
from gmhooks.store.check import verify

CHECKOUT = Path(__file__).parents[2]
_REVISE = """
import sys
from gmhooks import Memory, NotFound
memory = Memory(sys.argv[1], sys.argv[2])
try:
    print(memory.revise("Port is 0", f"Port is {sys.argv[3]}", ["app"]).fact.text)
except NotFound as error:
    print(error)
"""
_IMPORT = """
import sys
from gmhooks import Memory
memory = Memory(sys.argv[1], sys.argv[2])
print("ready", flush=True)
memory.import_lines(open(sys.argv[3], "rb"))
"""
_PURGE = """
import sys
from gmhooks import Memory
memory = Memory(sys.argv[1], sys.argv[2])
print("ready", flush=True)
memory.purge("Secret handshake", ["app"])
"""


def _start(code: str, memory: Memory, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, memory.data_dir, memory.user_dir, *words],
        stdout=subprocess.PIPE, text=True, cwd=CHECKOUT,
    )  # fmt: skip


def _kill_after(process: subprocess.Popen[str], seconds: float) -> None:
    """Kill a process a given time after it said that it begins; it may have ended by then."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    process.communicate()


def test_of_many_revisions_at_once_exactly_one_holds(memory: Memory) -> None:
    memory.remember("app", "Port is 0")
    running = [_start(_REVISE, memory, str(number)) for number in range(1, 5)]
    said = [process.communicate()[0].strip() for process in running]
    (fact,) = memory.list("app")
    won = [line for line in said if line == fact.text]
    assert len(won) == 1
    assert all(f"already superseded by [{fact.short_id}] {fact.text}" in line for line in said if line not in won)
    assert len(memory.list("app", retired=True)) == 2


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_a_killed_import_enters_nothing_or_all_and_can_be_repeated(
    memory: Memory, tmp_path: Path, seconds: float
) -> None:
    row = {"agent_id": "app", "created_at": "2026-01-01T00:00:00Z"}
    lines = [json.dumps(row | {"id": f"{number:026}", "text": f"Fact number {number}"}) for number in range(1500)]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(lines))
    _kill_after(_start(_IMPORT, memory, str(file)), seconds)
    assert len(memory.list("app")) in (0, 1500)
    assert verify(memory.data_dir) == []
    with file.open("rb") as again:
        memory.import_lines(again)
    assert len(memory.list("app")) == 1500


@pytest.mark.parametrize("seconds", [0.005, 0.02, 0.05, 0.1])
def test_a_killed_purge_leaves_a_sound_store_and_can_be_repeated(memory: Memory, seconds: float) -> None:
    for number in range(40):
        memory.remember("app", f"Fact number {number}")
    memory.remember("app", "Secret handshake")
    _kill_after(_start(_PURGE, memory), seconds)
    assert verify(memory.data_dir) == []
    assert len(memory.list("app")) in (40, 41)
    try:
        memory.purge("Secret handshake", ["app"])
    except NotFound:
        assert len(memory.list("app")) == 40
    assert not [name for name in os.listdir(memory.data_dir) if name.startswith(("compact-", "purging"))]
    left = [
        path.name for path in Path(memory.data_dir).rglob("*") if path.is_file() and b"handshake" in path.read_bytes()
    ]
    assert left == []
