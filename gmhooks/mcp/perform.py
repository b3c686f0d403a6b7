"""From a tool's name to its answer: the one table for every transport. A tool's code is loaded when it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.answers import Answer
    from gmhooks.mcp.place import Place


class UnknownTool(Exception):
    """No tool has that name."""


def perform(place: Place, name: str, arguments: dict[str, Any]) -> Answer:
    """The tool's answer; errors of the tool are answers. Raises UnknownTool."""
    from gmhooks.mcp.tools import HOOK, TOOLS

    if name == HOOK:
        from gmhooks.mcp.hook_tool import answer

        return answer(place, arguments)
    if all(tool["name"] != name for tool in TOOLS):
        raise UnknownTool(name)
    from gmhooks.mcp.handlers import call

    return call(place, name, arguments)
