"""The process as a hook or a library call of a scratch project sees it: its clock, its project, memory switched on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

_CLOCK, _PROJECT, _OFF = "GRAYMATTER_CLOCK", "CLAUDE_PROJECT_DIR", "GRAYMATTER_DISABLE"


@contextmanager
def surroundings(project: str, now: datetime) -> Iterator[None]:
    """Set the environment of this process for the duration, and put it back."""
    before = {name: os.environ.get(name) for name in (_CLOCK, _PROJECT, _OFF)}
    os.environ.pop(_OFF, None)
    os.environ[_CLOCK] = f"@{now.timestamp():.6f}"
    os.environ[_PROJECT] = project
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
