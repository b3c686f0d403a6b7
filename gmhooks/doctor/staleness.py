"""How old the lines of a file are, as git tells; nothing is written and no hook or pager of the repository runs."""

from __future__ import annotations

import os
import statistics
import subprocess
from dataclasses import dataclass

FRESH_DAYS, OLD_DAYS = 30, 90
_TIMEOUT_S = 20
_NOT_COMMITTED = "0" * 40


@dataclass(frozen=True, slots=True)
class Staleness:
    """Lines by age in days, or the reason why it is not known."""

    reason: str = ""
    fresh: int = 0
    middle: int = 0
    old: int = 0
    uncommitted: int = 0
    median_days: float = 0.0

    def to_json(self) -> dict[str, object]:
        """The documented keys."""
        if self.reason:
            return {"available": False, "reason_if_unavailable": self.reason}
        return {
            "available": True,
            "lines_le_30d": self.fresh,
            "lines_31_90d": self.middle,
            "lines_gt_90d": self.old,
            "lines_uncommitted": self.uncommitted,
            "median_age_days": self.median_days,
        }


def staleness(path: str, now_s: float) -> Staleness:
    """The age of every line of a tracked file."""
    folder, name = os.path.split(os.path.realpath(path))
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, "blame", "--line-porcelain", "--no-textconv", "--", name]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except FileNotFoundError:
        return Staleness("git is not installed")
    except (OSError, subprocess.TimeoutExpired):
        return Staleness("git did not answer")
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace")
        return Staleness("not in a git repository" if "not a git repository" in told else "the file is not tracked by git")
    return _summed(done.stdout.decode("utf-8", "replace"), now_s)


def _summed(porcelain: str, now_s: float) -> Staleness:
    ages: list[float] = []
    uncommitted, commit = 0, ""
    for line in porcelain.split("\n"):
        if line.startswith("\t"):
            commit = ""
        elif not commit:
            commit = line[:40]
            uncommitted += commit == _NOT_COMMITTED
        elif line.startswith("author-time ") and commit != _NOT_COMMITTED:
            ages.append((now_s - int(line.split()[1])) / 86_400)
    fresh = sum(age <= FRESH_DAYS for age in ages)
    old = sum(age > OLD_DAYS for age in ages)
    median = round(statistics.median(ages), 1) if ages else 0.0
    return Staleness("", fresh, len(ages) - fresh - old, old, uncommitted, median)
