"""Ids are ordered, unique and readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.store.ids import decode, encode, new_id, suffix_value

IDS = st.binary(min_size=16, max_size=16)


@given(IDS)
def test_every_id_survives_its_text(fact_id: bytes) -> None:
    assert decode(encode(fact_id)) == fact_id
    assert decode(encode(fact_id).lower()) == fact_id


@given(st.integers(min_value=-5, max_value=1 << 50), st.integers(min_value=0, max_value=(1 << 128) - 2))
def test_a_new_id_is_greater_than_the_last_whatever_the_clock_says(now_ms: int, last: int) -> None:
    before = last.to_bytes(16, "big")
    assert new_id(now_ms, before) > before


@given(IDS, st.integers(min_value=6, max_value=26))
def test_a_suffix_has_the_value_of_the_ids_low_bits(fact_id: bytes, size: int) -> None:
    parsed = suffix_value(encode(fact_id)[-size:])
    assert parsed is not None
    value, bits = parsed
    assert int.from_bytes(fact_id, "big") % (1 << bits) == value


def test_letters_that_look_like_digits_are_read_as_digits() -> None:
    assert suffix_value("O1IL00") == suffix_value("011100")


@pytest.mark.parametrize("text", ["", "ABC", "UUUUUU", "has space", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0" * 27])
def test_other_text_is_no_suffix(text: str) -> None:
    assert suffix_value(text) is None
