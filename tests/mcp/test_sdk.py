"""The official client understands every way of serving, in both generations, and all of them say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from gmhooks.mcp.instructions import INSTRUCTIONS
from gmhooks.mcp.tools import TOOLS
from tests.mcp.desk import Desk
from tests.mcp.remote import MODES, WAYS, connected
from tests.mcp.script import CALLS, arguments, settled

pytestmark = [pytest.mark.parametrize("way", WAYS), pytest.mark.parametrize("mode", MODES)]


def dumped(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def told(desk: Desk, way: str, mode: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the client was told at the start, and the results of the script; the client validates structured content."""
    async with connected(desk, way, mode) as client:
        listed = [dumped(tool) for tool in (await client.list_tools()).tools]
        about = {"version": client.protocol_version, "instructions": client.instructions, "tools": listed}
        results = {}
        for name, (tool, _) in CALLS.items():
            found = dumped(await client.call_tool(tool, arguments(name)))
            found.pop("_meta", None)
            results[name] = found
    return about, settled(results)


def expected(desk: Desk) -> dict[str, Any]:
    found = {name: desk.call(tool, **arguments(name)).result() for name, (tool, _) in CALLS.items()}
    return settled(found)


def test_the_script_has_the_same_answers_as_without_any_protocol(tmp_path: Path, way: str, mode: str) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "plain").mkdir()
    about, results = anyio.run(told, Desk(tmp_path / "served"), way, mode)

    assert about["version"] == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
    assert about["instructions"] == INSTRUCTIONS
    assert about["tools"] == [dict(tool) for tool in TOOLS]
    wanted = expected(Desk(tmp_path / "plain"))
    assert {name: result["content"] for name, result in results.items()} == {n: r["content"] for n, r in wanted.items()}
    assert {name: result.get("structuredContent") for name, result in results.items()} == {
        name: result.get("structuredContent") for name, result in wanted.items()
    }
    assert all(result["isError"] is wanted[name]["isError"] for name, result in results.items())


def test_an_unknown_tool_is_a_protocol_error(desk: Desk, way: str, mode: str) -> None:
    async def call() -> None:
        async with connected(desk, way, mode) as client:
            await client.call_tool("nope", {})

    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        anyio.run(call)
    assert "Unknown tool: nope" in repr(caught.value) + repr(getattr(caught.value, "exceptions", ""))


def test_parallel_calls_each_get_their_own_answer(desk: Desk, way: str, mode: str) -> None:
    async def calls() -> list[Any]:
        found: list[Any] = [None] * 20
        async with connected(desk, way, mode) as client:

            async def one(number: int) -> None:
                await client.call_tool("memory_add", {"agent_id": f"agent {number}", "text": f"fact {number}"})
                found[number] = (
                    await client.call_tool("memory_search", {"agent_id": f"agent {number}", "query": "fact"})
                ).structured_content

            async with anyio.create_task_group() as group:
                for number in range(20):
                    group.start_soon(one, number)
        return found

    assert [row["facts"] for row in anyio.run(calls)] == [[f"fact {number}"] for number in range(20)]
