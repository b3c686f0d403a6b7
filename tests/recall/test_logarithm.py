"""Our logarithm is the library's, within rounding, and never less exact than ranking needs."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.recall.logarithm import ln


@given(st.floats(min_value=1.0, max_value=1e15))
def test_it_agrees_with_the_standard_library(value: float) -> None:
    assert math.isclose(ln(value), math.log(value), rel_tol=1e-14, abs_tol=1e-15)


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_it_keeps_the_order_of_quotients(first: int, second: int) -> None:
    assert (ln(1 + 1 / first) < ln(1 + 1 / second)) == (first > second) or first == second


def test_one_has_no_logarithm() -> None:
    assert ln(1.0) == 0.0
