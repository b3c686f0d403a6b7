"""HTTP connections against slow clients and many of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from gmhooks.mcp import connections
from gmhooks.mcp.connections import Connection

LONGEST_S = 60
WHOLE = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok"
BEGUN = b"POST / HTTP/1.1\r\nHost: a\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body, once all of it is there."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message.get("more_body", False)
    await PlainTextResponse(b"got " + body)(scope, receive, send)


class Client:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def answer(self, raw: bytes) -> bytes:
        """The status line and body that these bytes bring."""
        self.writer.write(raw)
        async with asyncio.timeout(LONGEST_S):
            head = await self.reader.readuntil(b"\r\n\r\n")
            await self.reader.readuntil(b"got ok")
        return head.splitlines()[0]

    async def hung_up(self) -> bool:
        """Whether the server ends the connection without a word."""
        async with asyncio.timeout(LONGEST_S):
            try:
                return await self.reader.read() == b""
            except ConnectionResetError:
                return True


class Desk:
    """A server and its clients."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.clients: list[Client] = []

    async def client(self) -> Client:
        """A further connection."""
        self.clients.append(Client(*await asyncio.open_connection("127.0.0.1", self.port)))
        return self.clients[-1]


@asynccontextmanager
async def listening() -> AsyncIterator[Desk]:
    """An application behind our connections, and what calls it."""
    config = uvicorn.Config(echo, log_config=None, ws="none")
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
    desk = Desk(server.sockets[0].getsockname()[1])
    try:
        yield desk
    finally:
        for client in desk.clients:
            client.writer.close()
        for client in desk.clients:
            with suppress(ConnectionError):
                await client.writer.wait_closed()
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("begun", [b"", BEGUN, BEGUN + b"Content-Length: 9\r\n\r\nab"])
def test_a_request_that_does_not_become_whole_loses_its_connection(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)

    async def work() -> None:
        async with listening() as desk:
            slow = await desk.client()
            slow.writer.write(begun)
            assert await slow.hung_up()

    asyncio.run(work())


def test_the_deadline_starts_anew_with_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with listening() as desk:
            kept = await desk.client()
            assert await kept.answer(WHOLE) == b"HTTP/1.1 200 OK"
            assert await kept.answer(WHOLE) == b"HTTP/1.1 200 OK"
            monkeypatch.setattr(connections, "REQUEST_S", 0.1)
            kept.writer.write(BEGUN)
            assert await kept.hung_up()

    asyncio.run(work())


def test_many_connections_that_ask_nothing_make_room_for_one_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 3)

    async def work() -> None:
        async with listening() as desk:
            first, *others = [await desk.client() for _ in range(3)]
            asking = await desk.client()
            assert await asking.answer(WHOLE) == b"HTTP/1.1 200 OK"
            assert await first.hung_up()
            for other in others:
                assert await other.answer(WHOLE) == b"HTTP/1.1 200 OK"

    asyncio.run(work())


def test_connections_that_are_being_served_are_never_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 2)

    async def work() -> None:
        async with listening() as desk:
            served = [await desk.client() for _ in range(2)]
            for each in served:
                await each.answer(WHOLE)
            assert await (await desk.client()).hung_up()
            for each in served:
                assert await each.answer(WHOLE) == b"HTTP/1.1 200 OK"

    asyncio.run(work())
