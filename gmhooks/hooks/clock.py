"""Hot: the one reader of the wall clock."""

from __future__ import annotations

from time import time_ns


def now_us(environ: dict[bytes, bytes]) -> int:
    """Microseconds since 1970, UTC; `GRAYMATTER_CLOCK` sets (`@seconds`) or shifts (`+s`, `-s`) it for tests."""
    now = time_ns() // 1000
    wanted = environ.get(b"GRAYMATTER_CLOCK")
    if not wanted:
        return now
    try:
        seconds = int(float(wanted[1:] if wanted[:1] == b"@" else wanted) * 1_000_000)
    except (ValueError, OverflowError):
        return now
    return seconds if wanted[:1] == b"@" else now + seconds
