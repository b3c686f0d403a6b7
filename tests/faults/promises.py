"""The promises, and which checks stand for each. docs/reliability.md says the same in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults import corpora, corrupt, edits, fences, fuzz, iofault, killer, merges, powercut, reach, stuck, traffic
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome


@dataclass(frozen=True)
class Check:
    """One run of one kind of fault: `quick` is its size in the suite, `full` in the whole run."""

    run: Callable[[Ground, int], Outcome]
    quick: int
    full: int

    @property
    def name(self) -> str:
        """Module and function."""
        return f"{self.run.__module__.rpartition('.')[2]}.{self.run.__name__}"


CHECKS: dict[str, tuple[Check, ...]] = {
    "P1": (
        Check(killer.kills, 120, 10_000),
        Check(killer.survivors, 1, 20),
        Check(traffic.side_by_side, 5, 60),
        Check(traffic.doubled, 10, 500),
    ),
    "P2": (Check(powercut.cuts, 150, 2_100),),
    "P3": (
        Check(stuck.obstacles, 1, 10),
        Check(stuck.saves, 2, 50),
        Check(stuck.crowd, 30, 200),
        Check(stuck.dead_readers, 20, 600),
        Check(traffic.logs, 100, 20_000),
    ),
    "P4": (
        Check(fuzz.through_the_command, 100, 20_000),
        Check(fuzz.in_process, 3_000, 200_000),
        Check(corpora.hook_stdin, 0, 1),
    ),
    "P5 P6": (Check(corrupt.damage, 3, 1_000),),
    "P7": (Check(iofault.failing_calls, 0, 1),),
    "P8": (Check(edits.configs, 400, 20_000),),
    "P9": (Check(edits.markdown, 400, 20_000),),
    "P10": (Check(merges.killed, 0, 1),),
    "P11": (Check(merges.raced, 100, 1_000), Check(merges.side_by_side, 2, 50)),
    "P12": (Check(fences.fuzzed, 5_000, 50_000),),
    "P13": (Check(corpora.facts, 0, 1),),
    "P14": (Check(reach.modes, 1, 20),),
    "P15 P18": (Check(reach.system_calls, 1, 25),),
    "P16": (Check(reach.planted, 1, 25),),
    "P17": (Check(reach.newer, 1, 10),),
    "P19": (Check(reach.same_bytes, 2, 100),),
    "P20": (Check(traffic.backups, 3, 100),),
}
