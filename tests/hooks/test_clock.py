"""The clock of a process, and the one variable that sets it for tests."""

from __future__ import annotations

import time

import pytest

from gmhooks.hooks.clock import now_us


@pytest.mark.parametrize("value", [None, b"", b"x", b"@", b"@nan", b"+inf", b"1e999"])
def test_without_a_usable_variable_it_is_the_time_of_the_system(value: bytes | None) -> None:
    before = time.time_ns() // 1000
    found = now_us({} if value is None else {b"GRAYMATTER_CLOCK": value})
    assert before <= found <= time.time_ns() // 1000


def test_it_can_be_set_and_shifted() -> None:
    assert now_us({b"GRAYMATTER_CLOCK": b"@10"}) == 10_000_000
    assert now_us({b"GRAYMATTER_CLOCK": b"@1.5"}) == 1_500_000
    day_ago = now_us({b"GRAYMATTER_CLOCK": b"-86400"})
    assert abs(time.time() - 86_400 - day_ago / 1e6) < 600
