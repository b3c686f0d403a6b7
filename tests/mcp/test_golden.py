"""Every payload, to the letter. When one changes on purpose: GOLDEN=write python -m pytest tests/mcp/test_golden.py, and
the difference of the files is what to review."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from gmhooks.hooks.wire import encode
from gmhooks.mcp.tools import TOOLS
from tests.mcp.desk import Desk
from tests.mcp.script import CALLS, arguments, settled

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, value: object) -> None:
    path = FOLDER / name
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def results(desk: Desk) -> dict[str, Any]:
    found = {}
    for name, (tool, _) in CALLS.items():
        answer = desk.call(tool, **arguments(name))
        found[name] = json.loads(encode({"tool": tool, "arguments": arguments(name), "result": answer.result()}))
    return found


def test_the_list_of_tools() -> None:
    assert_golden("tools_list.json", {"tools": TOOLS})


def test_every_payload_of_every_tool(desk: Desk) -> None:
    assert_golden("payloads.json", settled(results(desk)))


def test_every_payload_fits_the_schema_of_its_tool(desk: Desk) -> None:
    schemas = {tool["name"]: Draft202012Validator(tool["outputSchema"]) for tool in TOOLS}
    for name, row in results(desk).items():
        result = row["result"]
        assert result["isError"] is ("structuredContent" not in result), name
        if "structuredContent" in result:
            schemas[row["tool"]].validate(result["structuredContent"])
