"""docs/mcp.md lists exactly the tools and parameters there are; docs/AGENTS.md names every tool and action. (F197)"""

from __future__ import annotations

import re
from pathlib import Path

from gmhooks.mcp.schemas import ACTIONS
from gmhooks.mcp.tools import HOOK, TOOLS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "mcp.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "AGENTS.md").read_text(encoding="utf-8")


def test_the_table_of_tools_is_true() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\| ([^|]*)\|", PAGE.split("## Tools")[1], flags=re.M)
    listed = [(name, set(re.findall(r"`(\w+)`", must)), set(re.findall(r"`(\w+)`", may))) for name, must, may in rows]
    expected = []
    for tool in TOOLS:
        required = set(tool["inputSchema"]["required"])
        expected.append((tool["name"], required, set(tool["inputSchema"]["properties"]) - required))
    stripped = [(name, must, may - {"error", "empty"}) for name, must, may in listed]
    assert stripped == expected


def test_the_guide_names_every_tool_and_action() -> None:
    assert [tool["name"] for tool in TOOLS if tool["name"] not in GUIDE] == []
    assert [action for action in ACTIONS if action not in GUIDE] == []
    assert HOOK not in GUIDE
