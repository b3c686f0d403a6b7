"""The off switch of a project: the file `off` in its data directory, empty or with the second when it ends."""

from __future__ import annotations

import os
import re

from gmhooks.init.own import write_own
from gmhooks.memory.regular import content

FILE = "off"
_MOST_BYTES = 64
_UNITS = {"m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"([0-9]{1,5})([mhd])")


def seconds_of(text: str) -> int:
    """Seconds of a duration such as `30m`, `2h` or `1d`; ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None or not int(match[1]):
        raise ValueError(f"{text!r} is not a duration like 30m, 2h or 1d")
    return int(match[1]) * _UNITS[match[2]]


def switch_off(data_dir: str, until_us: int | None) -> None:
    """Keep hooks silent in this project, for good or until that time. OSError when the file cannot be written."""
    text = "" if until_us is None else f"{until_us // 1_000_000}\n"
    write_own(os.path.join(data_dir, FILE), text.encode())


def switch_on(data_dir: str) -> bool:
    """Remove the off switch; False when there was none. OSError when it cannot be removed."""
    try:
        os.unlink(os.path.join(data_dir, FILE))
    except FileNotFoundError:
        return False
    return True


def off_until(data_dir: str) -> int | None:
    """Second at which the off switch ends; 0 for one without end; None when there is none."""
    path = os.path.join(data_dir, FILE)
    if not os.access(path, os.R_OK) or os.path.isdir(path):
        return None
    text = content(path, _MOST_BYTES, linked=True).strip()
    try:
        return max(int(float(text)), 1) if text else 0
    except (ValueError, OverflowError):
        return 0
