"""Streamable HTTP: the SDK's server behind a token, explicit Host and Origin lists, and a limit on bodies."""

from __future__ import annotations

import signal
import socket
from dataclasses import dataclass
from ipaddress import ip_address

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gmhooks.mcp.connections import Connection
from gmhooks.mcp.place import Place
from gmhooks.mcp.sdk import make_server
from gmhooks.mcp.token import matches

PATH = "/mcp"
MOST_BYTES = 1 << 20
_IDLE_S = 120
_FAREWELL_S = 1
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class BadAddress(ValueError):
    """Not `HOST:PORT`."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 means any free one."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it; a name that is no address counts as exposed, save localhost."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def shown(self) -> str:
        """The host as a URL has it."""
        return f"[{self.host}]" if ":" in self.host else self.host


def address(text: str) -> Address:
    """The address that `HOST:PORT` names; without a host every interface. Raises BadAddress."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise BadAddress(f"{text!r} is not HOST:PORT")
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


class Guard:
    """Answers 401 to every request without the token; `token` None: no token is asked for."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request with the token pass."""
        if scope["type"] == "http" and not self._lets_in(Headers(scope=scope)):
            refusal = PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _lets_in(self, headers: Headers) -> bool:
        return self._token is None or matches(headers.get("authorization"), self._token)


def make_app(place: Place, where: Address, token: str | None, hosts: tuple[str, ...] = ()) -> ASGIApp:
    """The application for one address; `hosts` are further names by which clients may call it."""
    names = [f"{name}:{where.port}" for name in dict.fromkeys((*_LOOPBACK, where.shown, *hosts)) if name]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
    )
    app = make_server(place).streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=MOST_BYTES, transport_security=security, host=where.host
    )
    return Guard(app, token)


def listen(where: Address) -> tuple[socket.socket, Address]:
    """A listening socket and the address it got. OSError when the address cannot be used."""
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    made = socket.create_server((where.host, where.port), family=family)
    return made, Address(where.host, made.getsockname()[1])


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM; requests that are open then get 1 s to end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stopped)
    config = uvicorn.Config(
        app, log_config=None, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        http=Connection, ws="none", timeout_keep_alive=_IDLE_S, timeout_graceful_shutdown=_FAREWELL_S,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])


def _stopped(number: int, frame: object) -> None:
    """uvicorn raises the signal once more after it has shut down: that one is no reason to die of it."""
