"""HTTP connections that neither slow clients nor many of them use up: a deadline for a request, a limit on their number."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 15
MOST = 64
_OWING = (h11.IDLE, h11.SEND_BODY)


class Connection(H11Protocol):
    """One connection. Its client has 15 s for a whole request, counted from the connection or the request's first byte; an
    answer may take as long as it takes. At 64 connections the one that has kept us waiting longest makes room."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit it, in the place of another if need be."""
        if len(self.connections) >= MOST and not self._make_room():
            transport.abort()
            return
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take more of a request."""
        super().data_received(data)
        if self.conn.their_state not in _OWING:
            self._expect_no_more()
        elif self._deadline is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._expect_no_more()
        if self.transport is not None:
            super().connection_lost(exc)

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _expect_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _make_room(self) -> bool:
        waiting = [each for each in self.connections if isinstance(each, Connection) and each._deadline is not None]
        if not waiting:
            return False
        longest = min(waiting, key=lambda each: each._deadline.when() if each._deadline else 0.0)
        longest.transport.abort()
        self.connections.discard(longest)
        return True
