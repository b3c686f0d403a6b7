"""The lean server when its descriptors, its store or its folder fail it, and when it is ended in the middle of work."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gmhooks.hooks.breaker import DAMAGED, OPEN
from gmhooks.hooks.session import BREAKER_AT
from gmhooks.hooks.usage import state_of
from gmhooks.store.check import verify
from gmhooks.store.spool import pending
from tests.frozen import frozen
from tests.mcp.desk import AGENT, Desk
from tests.mcp.lean import LONGEST_S, Lean, command, environ

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
DEEPEST = 900


def adding(number: int, text: str) -> bytes:
    params = {"name": "memory_add", "arguments": {"agent_id": AGENT, "text": text}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


@pytest.mark.parametrize("frame", [PING, adding(1, "a fact")])
def test_answers_that_cannot_be_written_end_it_with_a_reason(desk: Desk, frame: bytes) -> None:
    with open("/dev/full", "wb") as full:
        server = subprocess.Popen(
            command(desk), cwd=desk.root, env=environ(desk), stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE
        )
    assert server.stdin is not None
    server.stdin.write(frame)
    server.stdin.flush()
    assert server.wait(LONGEST_S) == 1
    assert b"cannot answer (No space left on device)" in server.communicate()[1]


def test_a_client_that_leaves_in_the_middle_ends_it_and_damages_nothing(desk: Desk) -> None:
    with Lean(desk) as server:
        server.send(b"".join(adding(number, f"fact {number}") for number in range(20)))
        assert server.process.stdout is not None
        server.process.stdout.close()
        assert server.process.wait(LONGEST_S) == 0
        server.process.stdout = None
    assert verify(str(desk.data)) == []


def test_descriptors_that_do_not_block_are_made_to(desk: Desk) -> None:
    (ours, its), (answers, sink) = os.pipe(), os.pipe()
    for each in (ours, sink):
        os.set_blocking(each, False)
    server = subprocess.Popen(command(desk), cwd=desk.root, env=environ(desk), stdin=ours, stdout=sink)
    os.close(ours)
    os.close(sink)
    long_id = json.dumps("x" * 200_000).encode()
    with open(its, "wb") as asking, open(answers, "rb") as answering:
        asking.write(PING.replace(b"1,", long_id + b",", 1))
        asking.close()
        assert json.loads(answering.read())["id"] == "x" * 200_000
    assert server.wait(LONGEST_S) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle_of_writes_loses_nothing_that_was_answered(desk: Desk, number: signal.Signals) -> None:
    with Lean(desk) as server:
        server.send(b"".join(adding(each, f"fact {each}") for each in range(60)))
        first = json.loads(server.line())["id"]
        server.process.send_signal(number)
        status, out, err = server.leave()
    answered = {first} | {json.loads(line)["id"] for line in out.splitlines() if line.endswith(b"}")}
    kept = {*desk.live(), *(spooled.text for spooled in pending(str(desk.data)))}
    assert (status, err) == (0, b"")
    assert {f"fact {each}" for each in answered} <= kept
    assert verify(str(desk.data)) == []


def test_a_store_or_folder_that_goes_away_is_empty_and_a_correction_brings_nothing_back(desk: Desk, lean: Lean) -> None:
    lean.call("memory_add", agent_id=AGENT, text="one")
    os.unlink(desk.data / "gray.mdb")
    assert lean.call("memory_search", agent_id=AGENT, query="one")["structuredContent"]["count"] == 0
    lean.call("memory_add", agent_id=AGENT, text="two")
    assert desk.live() == ["two"]
    shutil.rmtree(desk.data)
    for action in ("forget", "pin", "unpin", "update"):
        said = lean.call("memory_reflect", action=action, agent_id=AGENT, target="two", text="new")
        assert "not found" in said["content"][0]["text"]
    assert not desk.data.exists()
    lean.call("memory_add", agent_id=AGENT, text="three")
    assert desk.live() == ["three"]
    shutil.rmtree(desk.root)
    assert "CLAUDE_PROJECT_DIR" in lean.call("memory_add", agent_id=AGENT, text="four")["content"][0]["text"]


def test_a_store_that_is_cut_short_takes_saves_into_the_spool_and_says_why(desk: Desk, lean: Lean) -> None:
    lean.call("memory_add", agent_id=AGENT, text="one")
    os.truncate(desk.data / "gray.mdb", 5000)
    for tool, more in (("memory_search", {"query": "one"}), ("memory_reflect", {"action": "forget", "target": "one"})):
        said = lean.call(tool, agent_id=AGENT, **more)
        assert said["isError"]
        assert said["content"][0]["text"].count("graymatter doctor --repair") == 1
    for tool, more in (("memory_add", {"text": "two"}), ("memory_reflect", {"action": "add", "text": "three"})):
        said = lean.call(tool, agent_id=AGENT, **more)
        assert not said["isError"]
        assert "kept safely until the store can take it (it is damaged" in said["content"][0]["text"]
    assert sorted(spooled.text for spooled in pending(str(desk.data))) == ["three", "two"]


@pytest.mark.parametrize("found", [OPEN, DAMAGED])
def test_a_store_that_processes_died_at_is_left_alone_and_the_way_out_is_named(desk: Desk, lean: Lean, found: int) -> None:
    lean.call("memory_add", agent_id=AGENT, text="one")
    now = int(time.time()).to_bytes(4, "little")
    with open(desk.data / "state", "r+b") as state:
        of_file = state_of(os.lstat(desk.data / "gray.mdb"))
        os.pwrite(state.fileno(), of_file + bytes((2, found, 0, 0)) + now, BREAKER_AT)
    said = lean.call("memory_search", agent_id=AGENT, query="one")
    assert said["isError"]
    assert said["content"][0]["text"].count("graymatter doctor --repair") == 1


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (b"[" * 4_000_000 + b"\n", b"-32700"),
        (b'{"a":' * 900_000 + b"\n", b"-32700"),
        (PING.replace(b"1,", b"[" * DEEPEST + b"]" * DEEPEST + b",", 1), b"-32600"),
        (PING.replace(b"1,", b"9" * 1_000_000 + b",", 1), b'"result":{}'),
        (PING.replace(b"1,", b'1,"id":2,', 1), b'{"jsonrpc":"2.0","id":2,"result":{}}'),
        (b"\xef\xbb\xbf" + PING, b"-32700"),
        (b"[" + PING.strip() + b"]\n", b"-32600"),
    ],
    ids=["deep list", "deep object", "deep id", "huge id", "an id twice", "byte order mark", "a batch"],
)
def test_frames_out_of_proportion_are_answered_and_survived(lean: Lean, frame: bytes, told: bytes) -> None:
    lean.send(frame)
    assert told in lean.line()
    assert lean.ask("ping", modern=False)["result"] == {}


def test_a_notification_in_the_middle_of_calls_gets_no_answer_and_stops_none(desk: Desk) -> None:
    note = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    with Lean(desk) as server:
        server.send(b"".join([adding(1, "one"), note, adding(2, "two"), note]))
        status, out, _ = server.leave()
    assert status == 0
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == [1, 2]


def test_a_read_only_file_system_is_named(desk: Desk, tmp_path: Path) -> None:
    desk.ok("memory_add", text="one")
    asked = [{"name": "memory_search", "arguments": {"agent_id": AGENT, "query": "one"}}]
    asked += [{"name": "memory_add", "arguments": {"agent_id": AGENT, "text": "two"}}]
    frames = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
        for number, params in enumerate(asked)
    ]
    ran = frozen(tmp_path, command(desk), cwd=Path.cwd(), env=environ(desk), given=b"\n".join(frames))
    answers = {(said := json.loads(line))["id"]: said["result"] for line in ran.stdout.splitlines()}
    assert answers[0]["structuredContent"]["facts"] == ["one"]
    assert "read-only file system" in answers[1]["content"][0]["text"]
    assert pending(str(desk.data)) == []
