"""What one prompt hook costs, and where it goes: whole runs of ever more of the way, taken in turn, and their differences.

No run is instrumented. Each part is the median, over the rounds, of the difference between two neighbouring commands of
the same round; parts of a noisy machine may therefore be negative, and need not add up exactly.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections.abc import Iterator

from gmhooks.doctor.finding import INFO, OK, WARN, Finding
from gmhooks.doctor.launcherfile import Launcher
from gmhooks.doctor.replay import FIELDS, environment, furnish, obstacle, recorded, would_write
from gmhooks.doctor.view import View
from gmhooks.init.stage import Stage

PARTS = {
    "launcher": "the three shell lines, against the same hook started directly",
    "interpreter": "Python started and ended at once, without clearing up",
    "load": "code of the hook, its input, and finding that no project is prepared",
    "store": "registry, opening an empty store, session state",
    "recall": "the same prompt on the copy of the store, facts found but already shown",
    "print": "the same for a new session: the block, the journal, the receipt",
}
SLOW = 3.0
_JUDGED_FROM = 5
_FULL = "full"
_BARE = "bare"


def check(view: View, runs: int) -> Iterator[Finding]:
    """Time the recorded prompt command; nothing when there is none that can be run, or `runs` is 0."""
    named = view.launcher
    direct = [each for each in recorded(view) if each.event == "UserPromptSubmit"]
    if runs < 1 or not direct or named is None or obstacle(view):
        return
    if would_write(view):
        yield Finding("replay.speed", INFO, "not measured while bytecode is missing")
        return
    try:
        with tempfile.TemporaryDirectory(prefix="gmhooks-doctor-") as folder:
            times = _Course(view, named, os.path.realpath(folder)).measure(runs)
    except OSError as error:
        yield Finding("replay.speed", INFO, f"not measured: {error.strerror}")
        return
    yield _told(times, runs)


class _Course:
    """The commands of one round, each with the stage it runs on."""

    def __init__(self, view: View, named: Launcher, folder: str) -> None:
        self.environ = environment(view)
        self.copy = Stage(os.path.join(folder, "copy"), view.at.route.root)
        furnish(self.copy, view)
        self.empty = Stage(os.path.join(folder, "empty"), view.at.route.root)
        self.empty.furnish(None, sample=False)
        self.nothing = Stage(os.path.join(folder, "nothing"), view.at.route.root)
        os.makedirs(self.nothing.project)
        self.launcher = view.launcher_path
        self.python = [named.python, "-I", "-S"]
        self.shim = [*self.python, named.shim]
        self.rounds = 0

    def measure(self, runs: int) -> dict[str, list[float]]:
        """Seconds of every command in every round."""
        hook, quick = [*self.shim, "user-prompt"], "import posix; posix._exit(0)"
        course: list[tuple[str, Stage, list[str], str]] = [
            (_BARE, self.nothing, [*self.python, "-c", "pass"], ""),
            ("interpreter", self.nothing, [*self.python, "-c", quick], ""),
            ("load", self.nothing, self.nothing.redirected(hook), ""),
            ("launched", self.nothing, self.nothing.redirected([self.launcher, "user-prompt"]), ""),
            ("store", self.empty, self.empty.redirected(hook), "again"),
            ("recall", self.copy, self.copy.redirected(hook), "again"),
            ("print", self.copy, self.copy.redirected(hook), ""),
            (_FULL, self.copy, self.copy.redirected([self.launcher, "user-prompt"]), ""),
        ]
        times: dict[str, list[float]] = {name: [] for name, *_ in course}
        for _, stage, command, session in course:
            self._run(stage, command, session)
            if session:
                self._run(stage, command, session)
        for _ in range(runs):
            for name, stage, command, session in course:
                times[name].append(self._run(stage, command, session))
        return times

    def _run(self, stage: Stage, command: list[str], session: str) -> float:
        """Seconds of one run. Each has a prompt id of its own: a repeated one counts as a doubled hook and stays silent."""
        self.rounds += 1
        fields = {"hook_event_name": "UserPromptSubmit", **FIELDS["UserPromptSubmit"], "prompt_id": f"p{self.rounds}"}
        if session:
            fields["session_id"] = session
        start = time.perf_counter()
        stage.run(command, fields, self.environ)
        return time.perf_counter() - start


def _told(times: dict[str, list[float]], runs: int) -> Finding:
    bare = statistics.median(times[_BARE])
    p50, p99 = statistics.median(times[_FULL]) / bare, _percentile(times[_FULL], 0.99) / bare
    before = {"launcher": ("launched", "load"), "interpreter": ("interpreter", "")}
    before |= {"load": ("load", "interpreter"), "store": ("store", "load"), "recall": ("recall", "store")}
    before["print"] = ("print", "recall")
    parts = {part: _difference(times, *before[part]) / bare for part in PARTS}
    split = ", ".join(f"{part} {value:.2f}" for part, value in parts.items())
    last = "p99" if runs >= 100 else f"slowest of {runs}"
    detail = f"p50 {p50:.2f}, {last} {p99:.2f} times an empty Python program ({bare * 1000:.1f} ms): {split}"
    state = INFO if runs < _JUDGED_FROM else WARN if p50 > SLOW else OK
    numbers = {"p50": p50, "p99": p99, "bare_ms": bare * 1000, "runs": float(runs), **parts}
    return Finding("replay.speed", state, detail, {name: round(value, 4) for name, value in numbers.items()})


def _difference(times: dict[str, list[float]], longer: str, shorter: str) -> float:
    if not shorter:
        return statistics.median(times[longer])
    return statistics.median(a - b for a, b in zip(times[longer], times[shorter], strict=True))


def _percentile(values: list[float], part: float) -> float:
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]
