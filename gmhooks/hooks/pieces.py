"""Hot: a payload that comes in pieces, from a client that may never close its end."""

from __future__ import annotations

import posix
from select import select

from gmhooks.hooks.wire import CHUNK, WireError, decode


def receive_rest(raw: bytes, limit: int, idle_s: float) -> dict[str, object]:
    """Go on reading behind `raw` until the payload is complete, the other end closes, or nothing more comes for `idle_s`.
    One that sends a little again and again is ended by the watchdog, with the whole run.

    Raises WireError `too_large`, `stdin_timeout` or `bad_input`.
    """
    data = bytearray(raw)
    while True:
        if not select((0,), (), (), 0)[0]:
            if data[-CHUNK:].rstrip().endswith(b"}"):
                try:
                    return decode(bytes(data))
                except WireError:
                    pass
            if not select((0,), (), (), idle_s)[0]:
                break
        try:
            more = posix.read(0, CHUNK)
        except BlockingIOError:
            continue
        if not more:
            return decode(bytes(data))
        data += more
        if len(data) > limit:
            raise WireError("too_large")
    raise WireError("bad_input" if data else "stdin_timeout")
