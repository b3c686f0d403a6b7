"""Both generations of the protocol, request by request, without a process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gmhooks import __version__
from gmhooks.mcp.instructions import INSTRUCTIONS
from gmhooks.mcp.protocol import HANDSHAKES, Call, receive
from gmhooks.mcp.tools import TOOLS
from tests.mcp.lean import ENVELOPE

INFO = {"name": "graymatter", "title": "GrayMatter project memory", "version": __version__}
STAMP = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": INFO}}


def ask(method: str, params: Any = None, *, modern: bool = False, idle: bool = False) -> Any:
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": "q-1", "method": method}
    if modern:
        body["params"] = {**(params or {}), "_meta": ENVELOPE}
    elif params is not None:
        body["params"] = params
    return sent(body, idle=idle)


def sent(body: Any, *, idle: bool = False) -> Any:
    found = receive(json.dumps(body).encode(), idle=idle)
    if not isinstance(found, bytes):
        return found
    assert found.endswith(b"\n")
    assert found.count(b"\n") == 1
    return json.loads(found)


def test_discover_tells_version_capabilities_and_instructions() -> None:
    assert ask("server/discover", modern=True) == {
        "jsonrpc": "2.0",
        "id": "q-1",
        "result": {
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": INSTRUCTIONS,
            "ttlMs": 0,
            "cacheScope": "private",
            **STAMP,
        },
    }


@pytest.mark.parametrize("wanted", [*HANDSHAKES, "1999-01-01", "2026-07-28", None, 5])
def test_initialize_agrees_on_a_known_version(wanted: object) -> None:
    answer = ask("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {}})
    assert answer["result"] == {
        "protocolVersion": wanted if wanted in HANDSHAKES else "2025-11-25",
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": INFO,
        "instructions": INSTRUCTIONS,
    }


def test_tools_are_listed_in_both_generations() -> None:
    tools = json.loads(json.dumps(TOOLS))
    assert ask("tools/list")["result"] == {"tools": tools}
    assert ask("tools/list", modern=True)["result"] == {"tools": tools, "ttlMs": 0, "cacheScope": "private", **STAMP}


def test_an_idle_server_shows_neither_tools_nor_instructions() -> None:
    assert ask("tools/list", idle=True)["result"] == {"tools": []}
    assert "instructions" not in ask("initialize", {}, idle=True)["result"]
    assert "instructions" not in ask("server/discover", modern=True, idle=True)["result"]


def test_a_call_is_handed_on_with_its_arguments() -> None:
    call = ask("tools/call", {"name": "n", "arguments": {"a": 1}}, modern=True)
    assert isinstance(call, Call)
    assert (call.id, call.name, call.arguments, call.modern) == ("q-1", "n", {"a": 1}, True)
    assert ask("tools/call", {"name": "n"}).arguments == {}


@pytest.mark.parametrize(
    "params", [{}, {"name": 5}, {"name": "n", "arguments": [1]}, {"name": "n", "arguments": "{}"}, [1], 5]
)
def test_a_malformed_call_is_a_protocol_error(params: object) -> None:
    assert ask("tools/call", params)["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["prompts/list", "resources/list", "subscriptions/listen", "nope", ""])
@pytest.mark.parametrize("modern", [False, True])
def test_other_methods_are_not_found(method: str, modern: bool) -> None:
    error = ask(method, modern=modern)["error"]
    assert (error["code"], error["data"]) == (-32601, method)


def test_ping_belongs_to_the_older_generation() -> None:
    assert ask("ping")["result"] == {}
    assert ask("ping", modern=True)["error"]["code"] == -32601


def test_a_version_of_the_future_is_refused_with_what_we_speak() -> None:
    meta = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    error = ask("tools/list", {"_meta": meta})["error"]
    assert (error["code"], error["data"]) == (-32022, {"supported": ["2026-07-28"], "requested": "2099-01-01"})


@pytest.mark.parametrize(
    "drop", ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"]
)
def test_half_an_envelope_is_refused(drop: str) -> None:
    meta = {key: value for key, value in ENVELOPE.items() if key != drop}
    assert ask("server/discover", {"_meta": meta})["error"]["code"] == -32602


@pytest.mark.parametrize(
    "body", [{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "method": "x"}]
)
def test_notifications_get_no_answer(body: object) -> None:
    assert sent(body) is None


@pytest.mark.parametrize("more", [{"result": {}}, {"error": {"code": 1, "message": ""}}])
def test_answers_to_nothing_are_ignored(more: dict[str, object]) -> None:
    assert sent({"jsonrpc": "2.0", "id": 1, **more}) is None


@pytest.mark.parametrize("body", [[], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], 5, "x", None, {}])
def test_what_is_no_request_is_refused_without_an_id(body: object) -> None:
    answer = sent(body)
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize(
    "body", [{"id": 1, "method": "ping"}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1}]
)
def test_a_broken_request_is_refused_under_its_id(body: object) -> None:
    answer = sent(body)
    assert (answer["id"], answer["error"]["code"]) == (1, -32600)


@pytest.mark.parametrize("request_id", [None, True, [1], {"a": 1}])
def test_an_id_that_is_no_name_is_refused(request_id: object) -> None:
    answer = sent({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_bytes_that_are_no_json_are_a_parse_error() -> None:
    found = receive(b"{nope")
    assert isinstance(found, bytes)
    assert json.loads(found)["error"]["code"] == -32700
