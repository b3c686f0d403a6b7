"""Field cases, section H, as far as several processes are at one store."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.store.check import verify
from gmhooks.store.env import Store, open_read
from gmhooks.store.namespaces import find
from gmhooks.store.writer import run

ROOT = Path(__file__).resolve().parents[2]
WRITER = """
import sys
from gmhooks.store.writer import save
for n in range(int(sys.argv[3])):
    made = save(sys.argv[1], [("app", f"{sys.argv[2]} wrote {n}", 1, 0)], 1_800_000_000_000_000 + n, True)
    print(made[0].text, flush=True)
"""
READER = """
import sys
from gmhooks.store.env import open_read
from gmhooks.store.facts import newest
from gmhooks.store.namespaces import listed
for _ in range(int(sys.argv[2])):
    store = open_read(sys.argv[1])
    for ns in listed(store):
        assert all(fact.text for fact in newest(store, ns))
    store.close()
"""
DYING_READERS = """
import os, sys
from gmhooks.store.env import open_read
store = open_read(sys.argv[1])
held = [store.env.begin() for _ in range(100)]
os.kill(os.getpid(), 9)
"""
GROWS = """
import os, sys
from gmhooks.store import facts
from gmhooks.store.namespaces import ensure
from gmhooks.store.writer import run
def work(store):
    ns = ensure(store, "app")
    for n in range(20_000):
        facts.write(store, facts.Fact(ns.number, 1_000_000 + n, os.urandom(16), "word " * 700, 1, 0))
    for n in range(20_000):
        store.txn.delete((ns.number << 32 | 1_000_000 + n).to_bytes(8, "big"), db=store.db(b"facts"))
run(sys.argv[1], work)
"""


def started(script: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_f122_killed_writers_beside_readers_lose_nothing_and_damage_nothing(memory: Memory) -> None:
    chance = random.Random(122)
    writers = [started(WRITER, memory.data_dir, f"writer {n}", "40") for n in range(8)]
    reader = [sys.executable, "-c", READER, memory.data_dir, "20"]
    readers = [subprocess.Popen(reader, cwd=ROOT) for _ in range(4)]
    said = []
    for writer in writers:
        assert writer.stdout
        for _ in range(chance.randrange(1, 8)):
            said.append(writer.stdout.readline().strip())
        if chance.random() < 0.5:
            writer.kill()
        said += writer.communicate()[0].splitlines()
    assert [reader.wait() for reader in readers] == [0] * 4
    run(memory.data_dir, lambda store: None, patient=True)
    assert set(said) <= {fact.text for fact in memory.list("app")}
    assert verify(memory.data_dir) == []


def test_f125_300_killed_readers_leave_room_for_the_next(memory: Memory) -> None:
    memory.remember("app", "There before the readers")
    keeper = open_read(memory.data_dir)
    keeper.txn.abort()
    keeper.txn = None
    for _ in range(3):
        died = subprocess.run([sys.executable, "-c", DYING_READERS, memory.data_dir], cwd=ROOT, check=False)
        assert died.returncode == -signal.SIGKILL
    subprocess.run([sys.executable, "-c", WRITER, memory.data_dir, "another", "1"], cwd=ROOT, check=True)
    keeper.close()
    assert len(memory.list("app")) == 2


def test_f127_one_process_grows_the_map_while_another_holds_the_store(memory: Memory) -> None:
    memory.remember("app", "There before the growth")
    held = open_read(memory.data_dir)
    try:
        subprocess.run([sys.executable, "-c", GROWS, memory.data_dir], cwd=ROOT, check=True)
        ns = find(held, "app")
        assert ns is not None
        assert ns.live == 1  # its snapshot goes on
        held.txn.abort()
        held.txn = None
        subprocess.run([sys.executable, "-c", WRITER, memory.data_dir, "another", "1"], cwd=ROOT, check=True)
        again = Store(held.path, held.env, False)
        again.identity = held.identity
        again.begin()  # the larger map is adopted
        held.txn = again.txn
        after = find(again, "app")
        assert after is not None
        assert after.live == 2
    finally:
        held.close()
    memory.remember("app", "Saved after the growth")
    assert len(memory.list("app")) == 3


@pytest.mark.skipif(
    shutil.which("unshare") is None or subprocess.run(["unshare", "-rpf", "true"], check=False).returncode != 0,
    reason="this machine lets nobody make a namespace of processes",
)
def test_f128_writers_in_separate_namespaces_of_processes_share_the_store(memory: Memory) -> None:
    command = [sys.executable, "-c", WRITER, memory.data_dir]
    apart = ["unshare", "-rpf", "--mount-proc"]
    writers = [
        subprocess.Popen([*apart, *command, f"container {n}", "30"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for n in range(2)
    ]
    said = [line for writer in writers for line in writer.communicate()[0].splitlines()]
    assert len(said) == 60
    run(memory.data_dir, lambda store: None, patient=True)
    assert {fact.text for fact in memory.list("app", limit=None)} == set(said)


def test_f136_a_save_that_is_tried_again_after_a_kill_is_not_stored_twice(memory: Memory) -> None:
    for place in ("after_aside", "after_flock", "before_commit", "after_commit", "before_unlink"):
        for attempt in range(2):
            subprocess.run(
                [sys.executable, "-c", WRITER, memory.data_dir, place, "1"], cwd=ROOT, check=False,
                env={**os.environ, "GM_FAULT": place if attempt == 0 else ""}, stdout=subprocess.DEVNULL,
            )  # fmt: skip
    run(memory.data_dir, lambda store: None, patient=True)
    texts = [fact.text for fact in memory.list("app")]
    assert len(texts) == len(set(texts)) == 5
