"""Options of the library's calls as values, so that a program can keep and pass them on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gmhooks.store.records import CONFIDENCES, SOURCES

CONFIDENCE_NAMES = CONFIDENCES[1:]
WEIGHT_TOP = 0.5


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a fact is written. `confidence`: verified, inferred, unverified or None; `source`: who says it; `shared`: for
    every agent of the project. ValueError for anything else."""

    confidence: str | None = None
    shared: bool = False
    source: str = "cli"

    def __post_init__(self) -> None:
        confidence_level(self.confidence)
        if self.source not in SOURCES:
            raise ValueError(f"unknown source {self.source!r}; one of {', '.join(SOURCES)}")

    @property
    def level(self) -> int:
        """The confidence as stored; 0 for none."""
        return confidence_level(self.confidence)


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How facts are searched. `top_k`: at most so many (0 or less: 8); `min_confidence` leaves out facts below it;
    `confidence_weight`, 0 to 0.5, lets confidence move the ranking; `neighbours`: facts also gain from those written just
    before and after them. ValueError for anything else."""

    top_k: int = 0
    min_confidence: str | None = None
    confidence_weight: float | None = None
    neighbours: bool = False

    def __post_init__(self) -> None:
        confidence_level(self.min_confidence)
        weight = self.confidence_weight
        if weight is not None and (isinstance(weight, bool) or math.isnan(weight) or not 0 <= weight <= WEIGHT_TOP):
            raise ValueError("the confidence weight must be a number from 0 to 0.5")


def confidence_level(name: str | None) -> int:
    """The number by which a confidence is stored; ValueError for a name that is none."""
    if name is None:
        return 0
    if name not in CONFIDENCE_NAMES:
        raise ValueError(f"unknown confidence {name!r}; one of {', '.join(CONFIDENCE_NAMES)}")
    return CONFIDENCES.index(name)
