"""The same tools on the official SDK: HTTP needs it, and its stdio twin shows that the lean loop says the same."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from gmhooks import __version__
from gmhooks.mcp.instructions import INSTRUCTIONS, NAME, TITLE
from gmhooks.mcp.perform import UnknownTool, perform
from gmhooks.mcp.place import Place
from gmhooks.mcp.protocol import INVALID_PARAMS
from gmhooks.mcp.tools import HOOK, TOOLS

_AT_ONCE = 5


def make_server(place: Place, *, hidden: bool = False) -> Server[Any]:
    """A server of the SDK over the project; the tool of the client's hook only when `hidden`."""
    tools = [types.Tool.model_validate(tool) for tool in TOOLS]
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:  # noqa: ARG001
        return types.ListToolsResult(tools=tools)

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
        if params.name == HOOK and not hidden:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {HOOK}")
        try:
            answer = await anyio.to_thread.run_sync(
                perform, place, params.name, params.arguments or {}, limiter=limiter
            )
        except UnknownTool:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]}") from None
        return types.CallToolResult.model_validate(answer.result())

    return Server(
        NAME,
        title=TITLE,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(place: Place) -> None:
    """Serve on stdin and stdout until the client leaves."""
    server = make_server(place, hidden=True)
    async with stdio_server() as (source, sink):
        await server.run(source, sink, server.create_initialization_options())
