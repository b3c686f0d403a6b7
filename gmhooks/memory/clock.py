"""The clock of commands and library, which is the hooks' (`GRAYMATTER_CLOCK` sets it)."""

from __future__ import annotations

import os

from gmhooks.hooks.clock import now_us


def clock_us() -> int:
    """Microseconds since 1970, UTC."""
    return now_us(dict(os.environb))
