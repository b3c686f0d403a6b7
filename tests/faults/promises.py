"""The promises, and which checks stand for each. docs/reliability.md says the same in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults import corpora, corrupt, edits, fences, fuzz, iofault, killer, merges, powercut, reach, stuck, traffic
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome


@dataclass(frozen=True)
class Check:
    """One run of one kind of fault: `quick` is its size in the suite, `full` in the whole run, where it may be made in
    `parts` of their own seeds. What measures time runs `alone`, the rest side by side."""

    run: Callable[..., Outcome]
    quick: int
    full: int
    parts: int = 1
    alone: bool = False

    @property
    def name(self) -> str:
        """Module and function."""
        return f"{self.run.__module__.rpartition('.')[2]}.{self.run.__name__}"

    def on(self, ground: Ground, size: int, part: int = 1) -> Outcome:
        """Run it, or one of its parts, on fresh ground."""
        return self.run(ground, size, seed=part) if self.parts > 1 else self.run(ground, size)


CHECKS: dict[str, tuple[Check, ...]] = {
    "P1": (
        Check(killer.kills, 120, 10_000, parts=20),
        Check(killer.survivors, 1, 20),
        Check(traffic.side_by_side, 5, 60, alone=True),
        Check(traffic.doubled, 10, 500, alone=True),
    ),
    "P2": (Check(powercut.cuts, 150, 2_100, parts=3),),
    "P3": (
        Check(stuck.obstacles, 1, 6, alone=True),
        Check(stuck.saves, 2, 50, alone=True),
        Check(stuck.crowd, 30, 200, alone=True),
        Check(stuck.dead_readers, 20, 600, alone=True),
        Check(traffic.logs, 100, 5_000),
    ),
    "P4": (
        Check(fuzz.through_the_command, 100, 20_000, parts=20),
        Check(fuzz.in_process, 3_000, 200_000, parts=10),
        Check(corpora.hook_stdin, 0, 1, alone=True),
    ),
    "P5 P6": (Check(corrupt.damage, 3, 1_000, parts=25),),
    "P7": (Check(iofault.failing_calls, 0, 1),),
    "P8": (Check(edits.configs, 400, 20_000, parts=10),),
    "P9": (Check(edits.markdown, 400, 20_000, parts=10),),
    "P10": (Check(merges.killed, 0, 1),),
    "P11": (Check(merges.raced, 100, 1_000), Check(merges.side_by_side, 2, 50)),
    "P12": (Check(fences.fuzzed, 5_000, 50_000),),
    "P13": (Check(corpora.facts, 0, 1, alone=True),),
    "P14": (Check(reach.modes, 1, 20),),
    "P15 P18": (Check(reach.system_calls, 1, 25),),
    "P16": (Check(reach.planted, 1, 25),),
    "P17": (Check(reach.newer, 1, 10),),
    "P19": (Check(reach.same_bytes, 2, 100),),
    "P20": (Check(traffic.backups, 3, 100),),
}


def named(name: str) -> Check:
    """The check of this name; KeyError without one."""
    return {check.name: check for checks in CHECKS.values() for check in checks}[name]
