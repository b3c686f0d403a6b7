"""What a check of a promise reports: figures, and every way in which the promise did not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Outcome:
    """Figures of one check, in the order they were counted, peaks, and failures. `not_run` says what this machine lacks."""

    figures: Counter[str] = field(default_factory=Counter)
    peaks: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    not_run: str = ""

    def count(self, name: str, by: int = 1) -> None:
        """Add to a figure; a figure that stays 0 is printed too."""
        self.figures[name] += by

    def most(self, name: str, value: float) -> None:
        """Keep the largest value of a figure."""
        self.peaks[name] = max(self.peaks.get(name, 0), round(value))

    def fail(self, what: str) -> None:
        """The promise did not hold in this way."""
        self.failures.append(" ".join(what.split())[:300])

    def expect(self, holds: object, what: str) -> None:
        """`fail` unless something holds."""
        if not holds:
            self.fail(what)

    def need(self, least: int, name: str) -> None:
        """`fail` unless a figure reached this: a run that did too little proves too little."""
        self.expect(self.figures[name] >= least, f"only {self.figures[name]:,} {name}, {least:,} wanted")

    def add(self, other: Outcome) -> None:
        """Take over what another part of the same check found."""
        self.figures.update(other.figures)
        for name, value in other.peaks.items():
            self.most(name, value)
        self.failures += other.failures
        self.not_run = self.not_run or other.not_run

    def said(self) -> str:
        """The figures in one line."""
        both = [*self.figures.items(), *self.peaks.items()]
        return f"not run: {self.not_run}" if self.not_run else ", ".join(f"{name} {value:,}" for name, value in both)

    def lines(self) -> Iterable[str]:
        """The figures in one line, then at most a dozen failures."""
        yield self.said()
        for failure in self.failures[:_SHOWN]:
            yield f"FAIL {failure}"
        if len(self.failures) > _SHOWN:
            yield f"FAIL … and {len(self.failures) - _SHOWN:,} more"
