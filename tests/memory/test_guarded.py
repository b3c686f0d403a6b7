"""Commands and servers heed and feed the crash breaker as hooks do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.hooks.breaker import DAMAGED, settle
from gmhooks.hooks.session import BREAKER_AT, FILE
from gmhooks.hooks.usage import state_of
from gmhooks.memory.api import Memory
from gmhooks.memory.guarded import noted, suspicion
from gmhooks.store.errors import StoreSuspect
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.spool import pending

DIES_READING = """
import os, sys
from gmhooks.memory.access import reading
with reading(sys.argv[1], sys.argv[2]):
    os.kill(os.getpid(), 9)
"""

USED_BY_THREADS = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from gmhooks import Memory
def use(number):
    memory = Memory(sys.argv[1], sys.argv[2])
    memory.remember(f"agent {number % 3}", f"fact {number}")
    if number % 20 == 0:
        child = os.fork()
        if not child:
            os._exit(not memory.list())
        assert os.waitpid(child, 0)[1] == 0
    memory.recall("agent 0", "fact")
    return len(memory.list())
with ThreadPoolExecutor(8) as pool:
    list(pool.map(use, range(160)))
"""


def die(memory: Memory) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DIES_READING, memory.data_dir, memory.user_dir],
        cwd=Path(__file__).parents[2], check=False,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL


def record(memory: Memory) -> bytes:
    return Path(memory.data_dir, FILE).read_bytes()[BREAKER_AT : BREAKER_AT + 12]


def verdict(memory: Memory, *, damaged: bool) -> None:
    status = os.lstat(f"{memory.data_dir}/{DATA_NAME}")
    with open(f"{memory.data_dir}/{FILE}", "r+b") as file:
        os.pwrite(file.fileno(), state_of(status) + bytes((2, DAMAGED, 0, 0, 0, 0, 0, 0)), BREAKER_AT)
        settle(file.fileno(), state_of(status), damaged)


def test_one_death_in_use_is_counted_and_nothing_is_refused(memory: Memory) -> None:
    memory.remember("app", "The relay is calibrated on Monday")
    die(memory)
    assert len(memory.recall("app", "relay").facts) == 1
    assert record(memory)[4] == 1


def test_two_deaths_in_use_close_the_store_for_commands(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr("gmhooks.memory.guarded.start", lambda name, *_: started.append(name))
    memory.remember("app", "The relay is calibrated on Monday")
    die(memory)
    die(memory)
    with pytest.raises(StoreSuspect, match="until a check has ended"):
        memory.recall("app", "relay")
    assert started == ["recheck.py"]
    with pytest.raises(StoreSuspect):
        memory.forget("The relay is calibrated on Monday", ["app"])
    assert started == ["recheck.py"]


def test_a_save_to_a_suspect_store_waits_and_the_file_is_not_touched(memory: Memory) -> None:
    memory.remember("app", "The relay is calibrated on Monday")
    verdict(memory, damaged=True)
    before = Path(memory.data_dir, DATA_NAME).read_bytes()
    saved = memory.remember("app", "Kept aside")
    assert (saved.outcome, saved.reason) == ("spooled", "store_suspect")
    assert [spooled.text for spooled in pending(memory.data_dir)] == ["Kept aside"]
    assert Path(memory.data_dir, DATA_NAME).read_bytes() == before
    verdict(memory, damaged=False)
    memory.remember("app", "Another")
    assert {fact.text for fact in memory.list("app")} >= {"Kept aside", "Another"}


def test_who_may_only_look_is_kept_from_a_suspect_store_and_writes_nothing(memory: Memory) -> None:
    memory.remember("app", "The relay is calibrated on Monday")
    before = Path(memory.data_dir, FILE).stat().st_mtime_ns
    assert memory.overview(untouched=True) is not None
    assert Path(memory.data_dir, FILE).stat().st_mtime_ns == before
    verdict(memory, damaged=True)
    assert suspicion(memory.data_dir) == (2, DAMAGED)
    with pytest.raises(StoreSuspect, match="2 processes died"):
        memory.overview(untouched=True)


def test_a_use_that_ends_leaves_no_mark(memory: Memory) -> None:
    memory.remember("app", "The relay is calibrated on Monday")
    for _ in range(3):
        memory.recall("app", "relay")
    with pytest.raises(ZeroDivisionError), noted(memory.data_dir, memory.user_dir):
        _ = 1 // 0
    assert Path(memory.data_dir, FILE).read_bytes().strip(b"\0") == b""


def test_a_state_file_that_cannot_be_written_stops_nobody(memory: Memory) -> None:
    memory.remember("app", "The relay is calibrated on Monday")
    path = Path(memory.data_dir, FILE)
    path.unlink()
    path.mkdir()
    assert len(memory.recall("app", "relay").facts) == 1


def test_threads_of_one_process_take_turns_with_the_store(memory: Memory) -> None:
    """In a process of its own: LMDB ends it by a signal where two threads have the same file open. Forks find it free."""
    command = [sys.executable, "-W", "ignore", "-c", USED_BY_THREADS, memory.data_dir, memory.user_dir]
    subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60, check=True)
    assert len(memory.list()) == 160
    assert pending(memory.data_dir) == []
