"""The SDK's own client against every way of serving: the lean loop, its twin on the SDK, and HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.desk import Desk
from tests.mcp.lean import LONGEST_S, command, environ

TOKEN = "0123456789abcdef" * 4
MODES = ("auto", "legacy")
WAYS = ("lean", "twin", "http")
CHECKOUT = Path(__file__).resolve().parents[2]
_TWIN = """
import sys, os, anyio
from gmhooks.mcp.place import Place
from gmhooks.mcp.sdk import serve_stdio
anyio.run(serve_stdio, Place(os.environb, sys.argv[1]))
"""


class Http:
    """A server that listens: its port, its process."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url


@contextmanager
def http(desk: Desk, *options: str, env: dict[str, str] | None = None) -> Iterator[Http]:
    """`graymatter mcp serve --http` on a free port, for the project of the desk."""
    words = [sys.executable, "-m", "gmhooks", "mcp", "serve", "--http", "127.0.0.1:0", *options]
    wanted = environ(desk) | {"PYTHONPATH": str(CHECKOUT), "HOME": str(desk.home), "PYTHONUNBUFFERED": "1"}
    wanted |= {"CLAUDE_PROJECT_DIR": "/nowhere: only hooks and stdio servers listen to it"} | (env or {})
    with subprocess.Popen(
        words,
        cwd=desk.root,
        env=wanted,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("Serving "):
                break
        else:
            process.wait(LONGEST_S)
            raise AssertionError("".join(said))
        try:
            yield Http(process, line.split(" at ")[1].strip())
        finally:
            process.terminate()
            process.wait(LONGEST_S)


@asynccontextmanager
async def connected(desk: Desk, way: str, mode: str) -> AsyncIterator[Client]:
    """A client of the SDK, connected in a generation of the protocol ("auto" is the newer one)."""
    async with Client(_transport(desk, way), mode=mode) as client:
        yield client


def _transport(desk: Desk, way: str) -> AbstractAsyncContextManager[Any]:
    if way == "http":
        return _over_http(desk)
    return _over_stdio(desk, way)


@asynccontextmanager
async def _over_stdio(desk: Desk, way: str) -> AsyncIterator[Any]:
    words = command(desk) if way == "lean" else [sys.executable, "-c", _TWIN, desk.user_dir]
    env = environ(desk) | {"PYTHONPATH": str(CHECKOUT)}
    program = StdioServerParameters(command=words[0], args=words[1:], env=env, cwd=desk.root)
    with open(os.devnull, "w") as errors:
        async with stdio_client(program, errlog=errors) as streams:
            yield streams


@asynccontextmanager
async def _over_http(desk: Desk) -> AsyncIterator[Any]:
    with http(desk, env={"GRAYMATTER_HTTP_TOKEN": TOKEN}) as server:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"bearer {TOKEN}"}, timeout=LONGEST_S) as carrier,
            streamable_http_client(server.url, http_client=carrier) as streams,
        ):
            yield streams
