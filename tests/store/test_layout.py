"""A record is what was sealed under its key, or nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.store.layout import seal, unseal


@given(st.binary(min_size=1, max_size=20), st.binary(max_size=300))
def test_a_sealed_record_is_read_back(key: bytes, body: bytes) -> None:
    assert unseal(key, seal(key, body)) == body


@given(st.binary(max_size=80), st.data())
def test_one_changed_bit_makes_it_unreadable(body: bytes, data: st.DataObject) -> None:
    raw = bytearray(seal(b"key", body))
    at = data.draw(st.sampled_from([bit for bit in range(len(raw) * 8) if not 8 <= bit < 32]))
    raw[at // 8] ^= 1 << at % 8
    assert unseal(b"key", bytes(raw)) is None


def test_a_record_under_another_key_is_unreadable() -> None:
    assert unseal(b"b", seal(b"a", b"text")) is None
    assert unseal(b"a", None) is None
    assert unseal(b"a", b"short") is None
