"""One message's JSON: what json says, too, or refused; ids come back to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gmhooks.hooks.wire import encode
from gmhooks.mcp.frames import Real, Unreadable, id_of_oversized, parse, render_id, valid_id

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
@example(1000000000000000001)
@example({"id": [-(10**40), 1e300]})
def test_what_json_writes_is_read_and_written_again(value: object) -> None:
    found = parse(json.dumps(value).encode())
    assert found == value or json.loads(encode(found)) == json.loads(json.dumps(value).encode("utf-8"))


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\ 0123456789.-eEtrufalsn', max_size=40).map(str.encode))
def test_any_bytes_are_a_value_or_unreadable(raw: bytes) -> None:
    try:
        value = parse(raw)
    except Unreadable:
        return
    assert value == json.loads(raw, parse_float=Real, parse_int=whole)


def whole(literal: str) -> int | Real:
    """Numbers beyond 18 digits are kept as text, with the nearest float for arithmetic."""
    return int(literal) if len(literal) <= 18 else Real(literal)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[1", b'{"a":NaN}', b"[Infinity]", b"{} {}", b'"\n"', b"\xff", b"[" * 100_000]
)
def test_what_is_no_json_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        parse(raw)


IDS = [
    b"1",
    b"-0",
    b"1.0",
    b"1E3",
    b"0.10",
    b"123456789012345678901234567890",
    b'"a"',
    b'"\\ud800"',
    b'"\\u00e9"',
    b'""',
]


@pytest.mark.parametrize("raw", IDS)
def test_an_id_is_echoed_as_it_came(raw: bytes) -> None:
    request_id = parse(raw)
    assert valid_id(request_id)
    assert render_id(request_id) == raw


@pytest.mark.parametrize("raw", [b"true", b"null", b"[1]", b"{}"])
def test_other_values_are_no_ids(raw: bytes) -> None:
    assert not valid_id(parse(raw))


FILL = b'"params":{"id":99,"a":"' + b"x" * 9000 + b'"}'


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"m",' + FILL + b"}", 7),
        (b'{"id":"q","method":"m",' + FILL + b"}", "q"),
        (b'{"method":"m",' + FILL + b',"jsonrpc":"2.0","id":8}', 8),
        (b'{"method":"m",' + FILL + b',"id":"z","jsonrpc":"2.0"}', "z"),
        (b'{"method":"m",' + FILL + b"}", None),
        (b'{"method":"m","params":{"a":"' + b"x" * 9000 + b'","b":{"id":5}}}', None),
        (b"x" * 9000, None),
    ],
)
def test_the_id_of_a_cut_frame_is_told_only_when_it_is_certain(frame: bytes, found: object) -> None:
    assert id_of_oversized(frame[:4096], frame[-4096:]) == found
