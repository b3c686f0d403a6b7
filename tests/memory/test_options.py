"""Options are checked when they are made."""

from __future__ import annotations

import pytest

from gmhooks.memory.options import RecallOptions, WriteOptions


def test_defaults_ask_for_nothing_special() -> None:
    assert (WriteOptions().level, WriteOptions().shared, WriteOptions().source) == (0, False, "cli")
    assert (RecallOptions().top_k, RecallOptions().min_confidence, RecallOptions().confidence_weight) == (0, None, None)


@pytest.mark.parametrize(("name", "level"), [("unverified", 1), ("inferred", 2), ("verified", 3)])
def test_a_confidence_has_its_stored_level(name: str, level: int) -> None:
    assert WriteOptions(confidence=name).level == level


@pytest.mark.parametrize("name", ["", " verified", "VERIFIED", "unknown"])
def test_an_unknown_confidence_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="unknown confidence"):
        WriteOptions(confidence=name)
    with pytest.raises(ValueError, match="unknown confidence"):
        RecallOptions(min_confidence=name)


@pytest.mark.parametrize("weight", [-0.1, 0.5001, float("nan"), float("inf"), float("-inf"), True])
def test_a_weight_outside_the_range_is_an_error(weight: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 0\.5"):
        RecallOptions(confidence_weight=weight)


def test_an_unknown_source_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown source"):
        WriteOptions(source="nobody")
