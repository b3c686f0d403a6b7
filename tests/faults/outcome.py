"""What a check of a promise reports: figures, and every way in which the promise did not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Outcome:
    """Figures of one check, in the order they were counted, and its failures. `not_run` says what this machine lacks."""

    figures: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    not_run: str = ""

    def count(self, name: str, by: int = 1) -> None:
        """Add to a figure; a figure that stays 0 is printed too."""
        self.figures[name] += by

    def most(self, name: str, value: float) -> None:
        """Keep the largest value of a figure."""
        self.figures[name] = max(self.figures[name], round(value))

    def fail(self, what: str) -> None:
        """The promise did not hold in this way."""
        self.failures.append(" ".join(what.split())[:300])

    def expect(self, holds: object, what: str) -> None:
        """`fail` unless something holds."""
        if not holds:
            self.fail(what)

    def add(self, other: Outcome) -> None:
        """Take over what another part of the same check found."""
        self.figures.update(other.figures)
        self.failures += other.failures
        self.not_run = self.not_run or other.not_run

    def lines(self) -> Iterable[str]:
        """The figures in one line, then at most a dozen failures."""
        said = ", ".join(f"{name} {value:,}" for name, value in self.figures.items())
        yield f"not run: {self.not_run}" if self.not_run else said
        for failure in self.failures[:_SHOWN]:
            yield f"FAIL {failure}"
        if len(self.failures) > _SHOWN:
            yield f"FAIL … and {len(self.failures) - _SHOWN:,} more"
