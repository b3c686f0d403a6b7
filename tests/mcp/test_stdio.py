"""The lean server as a process: it answers, survives, keeps stdout clean and ends when told."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.mcp.frames import MOST_BYTES
from tests.mcp.desk import AGENT, Desk
from tests.mcp.lean import LONGEST_S, SHIM, Lean, command, environ

LIGHT = """
import sys
sys.argv = sys.argv[1:]
import posix
leave = posix._exit
def told(status):
    sys.stderr.write(" ".join(sorted(sys.modules)))
    sys.stderr.flush()
    leave(status)
posix._exit = told
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__file__": sys.argv[0], "__name__": "__main__"})
"""
HEAVY = {
    "os",
    "re",
    "json",
    "enum",
    "typing",
    "dataclasses",
    "collections",
    "functools",
    "contextlib",
    "pathlib",
    "asyncio",
}
HEAVY |= {
    "pydantic",
    "mcp",
    "lmdb",
    "struct",
    "threading",
    "logging",
    "inspect",
    "gmhooks.mcp.handlers",
    "gmhooks.store.env",
}


def modules(desk: Desk, *frames: bytes) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LIGHT, SHIM, f"--user-dir={desk.user_dir}"],
        input=b"\n".join(frames), env=environ(desk), cwd=desk.root, capture_output=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip
    assert ran.stdout.count(b'"result"') == len(frames), ran
    return set(ran.stderr.decode().split())


def test_the_first_answers_load_nothing_heavy(desk: Desk) -> None:
    loaded = modules(
        desk,
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    )
    assert loaded & HEAVY == set()
    assert "gmhooks.mcp.protocol" in loaded


def test_the_prompt_hook_in_fast_mode_loads_no_json_and_no_dataclasses(desk: Desk) -> None:
    call = {"name": "hook_user_prompt", "arguments": {"prompt": "which port do deploys use?", "cwd": str(desk.root)}}
    loaded = modules(desk, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode())
    assert loaded & {"json", "dataclasses", "typing", "inspect", "pydantic", "mcp"} == set()


@pytest.mark.parametrize("modern", [True, False])
def test_a_session_of_either_generation(lean: Lean, modern: bool) -> None:
    hello = "server/discover" if modern else "initialize"
    assert "instructions" in lean.ask(hello, {"protocolVersion": "2025-11-25"}, modern=modern)["result"]
    assert len(lean.ask("tools/list", modern=modern)["result"]["tools"]) == 7
    lean.call("memory_add", modern=modern, agent_id=AGENT, text="Deploys go through port 8443")
    found = lean.call("memory_search", modern=modern, agent_id=AGENT, query="deploys port?")
    assert found["structuredContent"]["facts"] == ["Deploys go through port 8443"]
    assert found["isError"] is False
    assert ("resultType" in found) is modern
    failed = lean.call("memory_add", modern=modern, agent_id=AGENT)
    assert failed["isError"] is True
    assert "structuredContent" not in failed


def test_an_unknown_tool_is_a_protocol_error(lean: Lean) -> None:
    error = lean.ask("tools/call", {"name": "nope"})["error"]
    assert (error["code"], error["message"]) == (-32602, "Unknown tool: nope")


def test_everything_asked_is_answered_before_the_end(desk: Desk) -> None:
    with Lean(desk) as server:
        for number in range(40):
            arguments = {"agent_id": AGENT, "text": f"fact {number}"}
            params = {"name": "memory_add", "arguments": arguments}
            server.send(
                json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"
            )
        status, out, _ = server.leave()
    assert status == 0
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == list(range(40))
    assert sorted(desk.live()) == sorted(f"fact {number}" for number in range(40))


def test_a_last_frame_without_a_line_end_counts(desk: Desk) -> None:
    with Lean(desk) as server:
        server.send(b'\r\n  \n{"jsonrpc":"2.0","id":1,"method":"ping"}')
        assert server.leave()[1] == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


def test_a_frame_that_is_too_long_is_refused_under_its_id_and_survived(lean: Lean) -> None:
    lean.send(b'{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"' + b"x" * MOST_BYTES + b'"}}\n')
    answer = json.loads(lean.line())
    assert (answer["id"], answer["error"]["code"]) == ("big", -32600)
    assert lean.ask("ping", modern=False)["result"] == {}


def test_stray_prints_do_not_reach_the_protocol(desk: Desk, tmp_path: Path) -> None:
    code = (
        "import sys, os; sys.argv = ['shim', sys.argv[1]]\n"
        "from gmhooks.mcp import perform as module\n"
        "keep = module.perform\n"
        "def noisy(place, name, arguments):\n"
        "    print('stray print'); os.write(1, b'stray write\\n'); os.system('echo stray child')\n"
        "    return keep(place, name, arguments)\n"
        "module.perform = noisy\n"
        "from gmhooks.mcp.entry import main; main(sys.argv)"
    )
    call = {"name": "memory_search", "arguments": {"agent_id": AGENT, "query": "a"}}
    ran = subprocess.run(
        [sys.executable, "-u", "-c", code, f"--user-dir={desk.user_dir}"],
        input=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode(),
        env=environ(desk) | {"PYTHONPATH": str(Path(SHIM).parents[2])},
        cwd=desk.root, capture_output=True, timeout=LONGEST_S, check=True,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [1]
    assert [ran.stderr.count(word) for word in (b"stray print", b"stray write", b"stray child")] == [1, 1, 1]


def test_unknown_options_are_warned_about_and_not_fatal(desk: Desk) -> None:
    with Lean(desk, "--frobnicate", "--level=3") as server:
        assert server.ask("ping", modern=False)["result"] == {}
        status, _, err = server.leave()
    assert status == 0
    assert err.count(b"ignoring the unknown option") == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_with_status_0(desk: Desk, number: signal.Signals) -> None:
    with Lean(desk) as server:
        server.ask("ping", modern=False)
        server.process.send_signal(number)
        assert server.process.wait(LONGEST_S) == 0


def test_no_create_refuses_what_is_not_prepared_and_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with Lean(desk, "--no-create", cwd=fresh, env={"CLAUDE_PROJECT_DIR": str(fresh)}) as server:
        status, out, err = server.leave()
    assert (status, out) == (1, b"")
    assert b"graymatter init" in err
    assert list(fresh.iterdir()) == []


@pytest.mark.parametrize("leaf", ["MEMORY.md", "gray.mdb"])
def test_no_create_admits_a_marker_or_a_store_even_a_broken_one(desk: Desk, tmp_path: Path, leaf: str) -> None:
    data = tmp_path / "fresh" / ".graymatter"
    data.mkdir(parents=True)
    (data / leaf).write_bytes(b"")
    with Lean(desk, "--no-create", env={"CLAUDE_PROJECT_DIR": str(data.parent)}) as server:
        assert server.ask("ping", modern=False)["result"] == {}


def test_prepared_only_is_a_server_without_tools_elsewhere(desk: Desk, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with Lean(desk, "--prepared-only", env={"CLAUDE_PROJECT_DIR": str(fresh)}) as server:
        assert server.ask("tools/list")["result"]["tools"] == []
        assert server.call("memory_add", agent_id=AGENT, text="a")["isError"] is True
    assert list(fresh.iterdir()) == []
    with Lean(desk, "--prepared-only") as server:
        assert len(server.ask("tools/list")["result"]["tools"]) == 7


def test_dir_moves_the_store(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    with Lean(desk, f"--dir={other}") as server:
        server.call("memory_add", agent_id=AGENT, text="moved")
    assert (other / "gray.mdb").is_file()
    assert desk.live() == []


def test_a_store_that_is_replaced_under_the_server_is_noticed(desk: Desk, lean: Lean) -> None:
    lean.call("memory_add", agent_id=AGENT, text="old")
    (desk.data / "gray.mdb").unlink()
    (desk.data / "gray.mdb-lock").unlink()

    lean.call("memory_search", agent_id=AGENT, query="old")
    assert lean.call("memory_add", agent_id=AGENT, text="new")["isError"] is False
    assert lean.call("memory_search", agent_id=AGENT, query="anything")["structuredContent"]["facts"] == ["new"]


def _mutants(seed: int, count: int) -> list[bytes]:
    """Frames that are nearly calls: cut, doubled, with bytes and arguments replaced."""
    chance = random.Random(seed)
    odd = [
        None,
        True,
        -1,
        1e308,
        "",
        " ",
        "\ud800",
        "x" * 5000,
        [],
        {},
        [[]],
        {"a": {"b": []}},
        "add",
        "__shared__",
        AGENT,
    ]
    names = [
        "memory_search",
        "memory_search_batch",
        "memory_add",
        "memory_alias",
        "checkpoint_save",
        "memory_reflect",
        "x",
        7,
    ]
    fields = [
        "agent_id",
        "query",
        "queries",
        "text",
        "term",
        "equivalents",
        "state",
        "action",
        "agent",
        "target",
        "top_k",
    ]
    fields += ["confidence", "min_confidence", "confidence_weight", "on_missing", "explain"]
    made = []
    for number in range(count):
        arguments: object = {field: chance.choice(odd) for field in chance.sample(fields, chance.randint(0, 6))}
        if chance.random() < 0.1:
            arguments = chance.choice(odd)
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
        raw = bytearray(json.dumps(body | {"params": {"name": chance.choice(names), "arguments": arguments}}).encode())
        for _ in range(chance.choice([0, 0, 0, 1, 3])):
            at = chance.randrange(len(raw))
            raw[at : at + chance.randint(0, 3)] = bytes(chance.randrange(256) for _ in range(chance.randint(0, 3)))
        made.append(bytes(raw).replace(b"\n", b" "))
    return made


def test_hostile_frames_are_answered_or_ignored_and_the_server_lives(desk: Desk) -> None:
    frames = _mutants(seed=6, count=400)
    with Lean(desk) as server:
        for start in range(0, len(frames), 20):
            server.send(b"\n".join(frames[start : start + 20]) + b"\n")
            ping = b'{"jsonrpc":"2.0","id":"alive %d","method":"ping"}\n' % start
            server.send(ping)
            while json.loads(server.line())["id"] != f"alive {start}":
                assert server.process.poll() is None
        status, out, err = server.leave()
    assert (status, err) == (0, b"")
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())


def test_the_command_runs_with_every_standard_descriptor_closed(desk: Desk) -> None:
    closing = "import os, sys; os.closerange(0, 3); os.execv(sys.argv[1], sys.argv[1:])"
    ran = subprocess.run(
        [sys.executable, "-c", closing, *command(desk)], env=environ(desk), timeout=LONGEST_S, check=False
    )
    assert ran.returncode == 0
