"""Several clients, servers, commands and hooks on one store at once: no error, no lost write."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from typing import Any

from gmhooks.store.check import verify
from tests.mcp.desk import AGENT, Desk
from tests.mcp.lean import LONGEST_S, Lean, environ
from tests.mcp.remote import CHECKOUT
from tests.mcp.test_hook_tool import by_command

CLIENTS = 4
CALLS = 40


def mixed(seed: int, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Calls of every kind; each stores texts of its own."""
    chance = random.Random(seed)
    made: list[tuple[str, dict[str, Any]]] = []
    for number in range(count):
        text = f"client {seed} keeps note {number} about harbour {chance.randrange(9)}"
        made.append(
            chance.choice(
                [
                    ("memory_add", {"text": text}),
                    ("memory_add", {"text": text, "confidence": "inferred"}),
                    ("memory_reflect", {"action": "add", "text": text}),
                    ("memory_search", {"query": f"harbour {number}"}),
                    ("memory_search_batch", {"queries": ["note", "harbour 3"]}),
                    ("memory_alias", {"term": f"t{seed}x{number}", "equivalents": ["harbour"]}),
                    ("memory_reflect", {"action": "link", "text": f"client {seed}", "target": f"harbour {number}"}),
                    ("checkpoint_save", {"agent_id": f"agent {seed}", "state": json.dumps({"n": number})}),
                    ("checkpoint_resume", {"agent_id": f"agent {seed}", "on_missing": "empty"}),
                ]
            )
        )
    return made


def flood(server: Lean, seed: int, calls: list[tuple[str, dict[str, Any]]], failures: list[str]) -> None:
    """Send every call at once, then collect an answer for each id."""
    frames = []
    for number, (name, arguments) in enumerate(calls):
        params = {"name": name, "arguments": {"agent_id": AGENT, **arguments}}
        body = {"jsonrpc": "2.0", "id": f"{seed}/{number}", "method": "tools/call", "params": params}
        frames.append(json.dumps(body).encode() + b"\n")
    server.send(b"".join(frames))
    left = {f"{seed}/{number}" for number in range(len(calls))}
    while left:
        answer = json.loads(server.line())
        left.remove(answer["id"])
        if answer["result"]["isError"]:
            failures.append(answer["result"]["content"][0]["text"])


def wanted(calls: list[tuple[str, dict[str, Any]]]) -> set[str]:
    return {
        arguments["text"] for _, arguments in calls if "text" in arguments and arguments.get("action") in (None, "add")
    }


def run_clients(desk: Desk, clients: int, count: int) -> tuple[set[str], list[str]]:
    """Texts that must be there, and texts of errors, after `clients` servers got `count` mixed calls each at once."""
    failures: list[str] = []
    scripts = {seed: mixed(seed, count) for seed in range(clients)}
    servers = [Lean(desk) for _ in scripts]
    threads = [
        threading.Thread(target=flood, args=(server, seed, scripts[seed], failures))
        for seed, server in enumerate(servers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.__exit__(None, None, None)
    return set().union(*map(wanted, scripts.values())), failures


def test_four_clients_with_mixed_calls_lose_nothing(desk: Desk) -> None:
    texts, failures = run_clients(desk, CLIENTS, CALLS)

    assert failures == []
    desk.ok("memory_add", text="the last one drains what waits")
    assert texts <= set(desk.live())
    assert verify(str(desk.data)) == []


def test_two_servers_the_command_and_hooks_share_a_store(desk: Desk) -> None:
    acknowledged: list[str] = []

    def command(number: int) -> None:
        text = f"by command {number}"
        ran = subprocess.run(
            [sys.executable, "-m", "gmhooks", "remember", AGENT, text],
            cwd=desk.root,
            env=environ(desk) | {"HOME": str(desk.home), "PYTHONPATH": str(CHECKOUT)},
            timeout=LONGEST_S,
            capture_output=True,
            check=False,
        )
        if ran.returncode == 0:
            acknowledged.append(text)

    def hook(number: int) -> None:
        text = f"by hook {number}"
        if "Saved to memory" in by_command(desk, f"remember: {text}", f"s{number}"):
            acknowledged.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3) for work in (command, hook)]
    for thread in threads:
        thread.start()
    texts, failures = run_clients(desk, 2, 20)
    for thread in threads:
        thread.join()

    assert failures == []
    assert acknowledged
    desk.ok("memory_add", text="the last one drains what waits")
    assert texts | set(acknowledged) <= set(desk.live())
    assert verify(str(desk.data)) == []
