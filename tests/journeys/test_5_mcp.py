"""The real client connects to the server that init registered, calls every tool, and later prompts see what came of it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.journeys.client import Record
from tests.journeys.desk import Desk, context_of, raw

AGENT = {"agent_id": "my-project"}
FACT = "The staging VPN is called tortoise"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_add", {"text": FACT}),
    ("memory_search", {"query": "VPN"}),
    ("memory_search_batch", {"queries": ["VPN", "port"]}),
    ("memory_alias", {"term": "tunnel", "equivalents": ["VPN"]}),
    ("checkpoint_save", {"state": '{"todos": ["ship"]}'}),
    ("checkpoint_resume", {}),
    ("memory_reflect", {"action": "link", "text": "VPN", "target": "staging"}),
]
TRICKY = 'which "VPN" is it, ${prompt} \\ naïve 日本?\nthe staging one'


def calling(*calls: tuple[str, dict[str, Any]]) -> str:
    """A prompt that makes the model call these tools."""
    return " ".join(f"[[tool mcp__graymatter__{name} {json.dumps(AGENT | given)}]]" for name, given in calls)


def results(records: list[Record]) -> list[dict[str, Any]]:
    """What the tools answered, as the model got it."""
    found = []
    for message in records[-1]["body"]["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else []
        found += [part for part in parts if part.get("type") == "tool_result"]
    return found


@pytest.fixture
def desk_with_server(bare_desk: Desk) -> Desk:
    bare_desk.graymatter("init", "--hooks", "--mcp", "--allow-tools")
    return bare_desk


def test_every_tool_is_called_and_the_fact_is_in_the_next_prompts_block(desk_with_server: Desk) -> None:
    desk = desk_with_server
    answers = results(desk.prompt(calling(*CALLS)))

    assert [bool(answer.get("is_error")) for answer in answers] == [False] * len(CALLS)
    payloads = [json.loads(answer["content"]) for answer in answers]
    assert payloads[0] == AGENT | {"stored": True}
    assert payloads[1]["facts"] == [FACT]
    assert payloads[5]["state"] == {"todos": ["ship"]}
    desk.fill(250, time.time_ns() // 1000 + 1_000_000)
    (request,) = desk.prompt("what is the staging VPN called?")
    (context,) = context_of(request, "UserPromptSubmit")
    assert f"- {FACT} (via mcp)\n" in context


def test_the_instructions_reach_the_model_and_the_hidden_tool_does_not(desk_with_server: Desk) -> None:
    (request,) = desk_with_server.prompt("hello")

    sent = raw(request)
    assert "Project memory that outlives sessions." in sent
    assert "mcp__graymatter__memory_search" in sent
    assert "hook_user_prompt" not in sent


def test_fast_mode_gives_the_model_the_same_bytes(desk_with_server: Desk) -> None:
    desk = desk_with_server
    desk.graymatter("remember", FACT)
    desk.fill(250, time.time_ns() // 1000 + 1_000_000)
    seen = []
    for way in ("command", "mcp"):
        desk.graymatter("hooks", "install", "--via", way)
        (request,) = desk.prompt(TRICKY)
        seen.append(context_of(request, "UserPromptSubmit"))

    assert seen[0] == seen[1]
    assert FACT in seen[1][0]
    assert '"mcp_tool"' in desk.settings.read_text()
    before = desk.settings.read_bytes()
    desk.graymatter("hooks", "install")
    assert desk.settings.read_bytes() == before


def test_a_server_for_every_project_of_the_user_shows_nothing_where_none_is_prepared(bare_desk: Desk) -> None:
    desk = bare_desk
    desk.graymatter("init", "--mcp", "user")
    config = desk.api.client_env(desk.home).get("CLAUDE_CONFIG_DIR")
    if config is not None:
        registered = (desk.home / ".claude.json").read_text()
        target = desk.home / config / ".claude.json"
        kept = json.loads(target.read_text()) if target.exists() else {}
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(kept | json.loads(registered)))
    (here,) = desk.prompt("hello")
    assert "mcp__graymatter__memory_search" in raw(here)

    other = desk.home / "other-project"
    other.mkdir()
    desk.project = other
    (there,) = desk.prompt("hello")
    assert "graymatter" not in raw(there)
    assert list(other.iterdir()) == []
