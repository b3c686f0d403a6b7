"""JSON-RPC and MCP, both generations: one request in, one answer out, without state between requests.

A request whose `_meta` carries a protocol version is of the 2026-07-28 generation; the others follow the handshake of
2025-11-25 and before. What does not depend on the request is rendered once.
"""

from __future__ import annotations

from gmhooks import __version__
from gmhooks.hooks.wire import encode
from gmhooks.mcp.frames import Unreadable, parse, render_id, valid_id
from gmhooks.mcp.instructions import INSTRUCTIONS, NAME, TITLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODERN = "2026-07-28"
HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022
_PREFIX = "io.modelcontextprotocol/"
_INFO = {"name": NAME, "title": TITLE, "version": __version__}
_GUIDE = {"instructions": INSTRUCTIONS}
_CAPABILITIES = {"tools": {"listChanged": False}}
_COMPLETE = {"resultType": "complete", "_meta": {_PREFIX + "serverInfo": _INFO}}
_CACHE = {"ttlMs": 0, "cacheScope": "private"}


class Problem(Exception):
    """A request that gets an error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Call:
    """A tool call that somebody has to carry out."""

    __slots__ = ("arguments", "id", "modern", "name")

    def __init__(self, request_id: object, name: str, arguments: dict[str, Any], modern: bool) -> None:
        self.id = request_id
        self.name = name
        self.arguments = arguments
        self.modern = modern


def receive(raw: bytes, *, idle: bool = False) -> bytes | Call | None:
    """What one frame calls for: an answer to send, a tool to call, or nothing. An `idle` server shows no tools."""
    request_id: object = None
    try:
        try:
            message = parse(raw)
        except Unreadable:
            raise Problem(PARSE_ERROR, "Parse error: a frame is one JSON object on one line") from None
        if not isinstance(message, dict):
            raise Problem(INVALID_REQUEST, "Invalid request: not an object")
        if "method" not in message and ("result" in message or "error" in message):
            return None
        if "id" in message:
            if not valid_id(message["id"]):
                raise Problem(INVALID_REQUEST, "Invalid request: the id is neither a string nor a number")
            request_id = message["id"]
        return _dispatch(message, request_id, idle)
    except Problem as problem:
        return failed(request_id, problem)


def _dispatch(message: dict[str, Any], request_id: object, idle: bool) -> bytes | Call | None:
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Problem(INVALID_REQUEST, "Invalid request: not JSON-RPC 2.0 with a method")
    if "id" not in message:
        return None
    params = message.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise Problem(INVALID_PARAMS, "Invalid request parameters: not an object")
    modern = _is_modern(params, method)
    if method == "tools/call":
        return _call(request_id, params, modern)
    if method == "tools/list":
        return _answer(request_id, _listed(modern, idle))
    if modern and method == "server/discover":
        return _answer(request_id, _discovered(idle))
    if not modern and method == "initialize":
        return _answer(request_id, _initialized(params, idle))
    if not modern and method == "ping":
        return _answer(request_id, b"{}")
    raise Problem(UNKNOWN_METHOD, "Method not found", method)


def _is_modern(params: dict[str, Any], method: str) -> bool:
    """Whether the request carries the envelope of the newer generation. Raises Problem for half of one."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or _PREFIX + "protocolVersion" not in meta:
        if method == "server/discover":
            raise Problem(INVALID_PARAMS, f"params._meta must name {_PREFIX}protocolVersion")
        return False
    version = meta[_PREFIX + "protocolVersion"]
    if not isinstance(version, str) or not isinstance(meta.get(_PREFIX + "clientCapabilities"), dict):
        raise Problem(INVALID_PARAMS, f"params._meta needs a protocolVersion and {_PREFIX}clientCapabilities")
    if version != MODERN:
        data = {"supported": [MODERN], "requested": version}
        raise Problem(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return True


def _call(request_id: object, params: dict[str, Any], modern: bool) -> Call:
    name, arguments = params.get("name"), params.get("arguments")
    if arguments is None:
        arguments = {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise Problem(INVALID_PARAMS, "Invalid request parameters: a call needs a name and an object of arguments")
    return Call(request_id, name, arguments, modern)


def _listed(modern: bool, idle: bool) -> bytes:
    from gmhooks.mcp.tools import TOOLS

    return encode({"tools": () if idle else TOOLS} | (_COMPLETE | _CACHE if modern else {}))


def _discovered(idle: bool) -> bytes:
    about = {"supportedVersions": [MODERN], "capabilities": _CAPABILITIES}
    return encode(about | ({} if idle else _GUIDE) | _COMPLETE | _CACHE)


def _initialized(params: dict[str, Any], idle: bool) -> bytes:
    wanted = params.get("protocolVersion")
    version = wanted if wanted in HANDSHAKES else HANDSHAKES[0]
    about = {"protocolVersion": version, "capabilities": _CAPABILITIES, "serverInfo": _INFO}
    return encode(about | ({} if idle else _GUIDE))


def answered(call: Call, result: dict[str, Any]) -> bytes:
    """The frame that carries a tool's result."""
    return _answer(call.id, encode(result | _COMPLETE if call.modern else result))


def failed(request_id: object, problem: Problem) -> bytes:
    """The frame of an error; without an id it is null."""
    error: dict[str, object] = {"code": problem.code, "message": problem.message}
    if problem.data is not None:
        error["data"] = problem.data
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}\n' % (render_id(request_id), encode(error))


def unknown_tool(call: Call) -> bytes:
    """The frame for a call of a tool that does not exist."""
    return failed(call.id, Problem(INVALID_PARAMS, f"Unknown tool: {call.name[:100]}"))


def _answer(request_id: object, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (render_id(request_id), result)
