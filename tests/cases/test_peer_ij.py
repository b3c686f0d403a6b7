"""Peer cases, areas I and J: checkpoints and the MCP server, as a client of either generation meets them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gmhooks import __version__
from gmhooks.mcp.schemas import ACTIONS
from gmhooks.store.env import Store
from gmhooks.store.layout import CHECKPOINTS
from gmhooks.store.writer import run
from tests.mcp.desk import AGENT, Desk
from tests.mcp.lean import Lean
from tests.mcp.remote import TOKEN, http
from tests.mcp.test_serve_http import post

FACT = "Deploys go through port 8443"
WRONG = (None, 5, True, {}, ["a"], "", "  ", "\u3000\u2003\u00a0")


def test_i01_i02_a_checkpoint_needs_an_agent_and_a_json_object(desk: Desk) -> None:
    assert "agent_id is required" in desk.error("checkpoint_save", state="{}")
    assert "valid JSON" in desk.error("checkpoint_save", agent_id=AGENT, state="{not json")
    assert "no checkpoint" in desk.error("checkpoint_resume", agent_id=AGENT)


def test_i04_i08_absence_is_an_error_unless_asked_otherwise(desk: Desk) -> None:
    assert "no checkpoint" in desk.error("checkpoint_resume", agent_id="nobody")
    assert desk.ok("checkpoint_resume", agent_id="nobody", on_missing="empty") == {"found": False, "agent_id": "nobody"}
    assert "on_missing" in desk.error("checkpoint_resume", agent_id="nobody", on_missing="maybe")


def test_i07_a_record_that_cannot_be_read_is_a_failure(desk: Desk) -> None:
    for number in range(2):
        desk.ok("checkpoint_save", state=json.dumps({"step": number}))

    def spoil(store: Store) -> None:
        cursor = store.cursor(CHECKPOINTS)
        cursor.last()
        cursor.put(cursor.key(), cursor.value()[:-3])

    run(str(desk.data), spoil)
    said = desk.error("checkpoint_resume", agent_id=AGENT, on_missing="empty")
    assert "no checkpoint" not in said
    assert "damaged" in said


@pytest.mark.parametrize("given", [{"text": FACT}, {"agent_id": AGENT}])
def test_j01_a_fact_needs_an_agent_and_a_text(desk: Desk, given: dict[str, str]) -> None:
    assert "is required" in desk.error("memory_add", **given)


@pytest.mark.parametrize("modern", [True, False])
def test_j02_an_added_fact_is_found(lean: Lean, modern: bool) -> None:
    lean.call("memory_add", modern=modern, agent_id=AGENT, text=FACT)
    found = lean.call("memory_search", modern=modern, agent_id=AGENT, query="port", top_k=5.0)
    assert FACT in found["content"][0]["text"]


def test_j04_an_unknown_agent_has_no_memories(desk: Desk) -> None:
    answer = desk.call("memory_search", agent_id="nobody", query="port")
    assert (answer.error, answer.text[:17]) == (False, "No memories found")


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"action": "forget"}, "target"),
        ({"action": "add"}, "text"),
        ({"action": "update", "text": "a"}, "target"),
        ({"action": "update", "target": "a"}, "text"),
        ({"action": "link", "target": "a"}, "text"),
        ({"action": "shred"}, "shred"),
    ],
)
def test_j05_what_a_reflection_lacks_is_named(desk: Desk, given: dict[str, str], missing: str) -> None:
    assert missing in desk.error("memory_reflect", agent_id=AGENT, **given)
    assert "agent" in desk.error("memory_reflect", action="forget", target=FACT)


def test_j07_the_list_of_tools(lean: Lean) -> None:
    tools = {tool["name"]: tool for tool in lean.ask("tools/list")["result"]["tools"]}
    assert sorted(tools) == [
        "checkpoint_resume", "checkpoint_save", "memory_add", "memory_alias", "memory_reflect", "memory_search",
        "memory_search_batch",
    ]  # fmt: skip
    for tool in tools.values():
        assert tool["inputSchema"].keys() & {"anyOf", "oneOf", "allOf"} == set()
    reflect = tools["memory_reflect"]["inputSchema"]
    assert (reflect["required"], reflect["additionalProperties"]) == (["action"], False)


@pytest.mark.parametrize("action", ACTIONS)
def test_j08_without_an_identity_nothing_happens(desk: Desk, action: str) -> None:
    before = desk.bytes()
    assert "agent" in desk.error("memory_reflect", action=action, text=FACT, target=FACT)
    assert desk.bytes() == before


@pytest.mark.parametrize("value", WRONG)
def test_j10_j11_a_wrong_identity_fails_even_beside_a_good_one(desk: Desk, value: object) -> None:
    before = desk.bytes()
    desk.error("memory_reflect", action="add", text=FACT, agent=value)
    desk.error("memory_reflect", action="add", text=FACT, agent=value, agent_id=AGENT)
    desk.error("memory_reflect", action="add", text=FACT, agent_id=value, agent=AGENT)
    assert desk.bytes() == before


@pytest.mark.parametrize("agent_id", ["__shared__", "caf\u00e9 \U0001f422", " project ", "project"])
def test_j13_an_identity_keeps_its_bytes(desk: Desk, agent_id: str) -> None:
    assert desk.call("memory_reflect", action="add", agent=agent_id, text=FACT).structured == {
        "action": "add", "agent": agent_id, "ok": True,
    }  # fmt: skip
    assert desk.live(agent_id) == [FACT]


def test_j14_agent_id_decides(desk: Desk) -> None:
    desk.call("memory_reflect", action="add", agent="other", agent_id=AGENT, text=FACT)
    assert (desk.live(), desk.live("other")) == ([FACT], [])


def test_j16_text_and_payload_name_the_same_facts_in_the_same_order(desk: Desk) -> None:
    for text in ("port one", "port two", "harbour"):
        desk.ok("memory_add", text=text)
    answer = desk.call("memory_search", agent_id=AGENT, query="which port?")
    assert answer.structured is not None
    lines = [line.partition(". ")[2] for line in answer.text.splitlines() if line[:1].isdigit()]
    assert lines == answer.structured["facts"]


@pytest.mark.parametrize("more", [{}, {"top_k": 0}, {"top_k": -4}])
def test_j17_without_a_usable_number_there_are_eight(desk: Desk, more: dict[str, int]) -> None:
    for number in range(10):
        desk.ok("memory_add", text=f"port {number}")
    assert desk.ok("memory_search", query="port", **more)["count"] == 8


def test_j19_parallel_calls_are_matched_by_their_ids(lean: Lean) -> None:
    for number in range(5):
        call = {"name": "memory_add", "arguments": {"agent_id": f"agent {number}", "text": FACT}}
        lean.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode() + b"\n")
    answers = [json.loads(lean.line()) for _ in range(5)]
    assert {each["id"]: each["result"]["structuredContent"]["agent_id"] for each in answers} == {
        number: f"agent {number}" for number in range(5)
    }


def test_j20_the_greeting_is_short_and_holds_nothing_stored(desk: Desk, lean: Lean) -> None:
    desk.ok("memory_add", text="zanzibar")
    greeting = lean.ask("initialize", {"protocolVersion": "2025-11-25"}, modern=False)["result"]
    assert (greeting["serverInfo"]["name"], greeting["serverInfo"]["version"]) == ("graymatter", __version__)
    assert int(len(greeting["instructions"].split()) * 1.33) <= 240
    assert "zanzibar" not in json.dumps(greeting)


def test_j22_only_the_token_opens_http(desk: Desk) -> None:
    with http(desk, env={"GRAYMATTER_HTTP_TOKEN": TOKEN}) as server:
        assert post(server)[0] == 401
        assert post(server, Authorization="Bearer wrong")[0] == 401
        assert [post(server, Authorization=f"{scheme} {TOKEN}")[0] for scheme in ("Bearer", "bEARER")] == [200, 200]


def test_j23_no_create_in_an_unprepared_directory(desk: Desk, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with Lean(desk, "--no-create", cwd=fresh, env={"CLAUDE_PROJECT_DIR": str(fresh)}) as server:
        status, out, _ = server.leave()
    assert (status, out) == (1, b"")
    assert os.listdir(fresh) == []
