"""Lines of an export say everything, always the same, and come back as they were; anything else is named by its number."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.memory.entering import Row
from gmhooks.memory.transfer import Malformed, parse, to_line
from gmhooks.store.ids import encode
from gmhooks.store.records import KIND_ALIAS, LIVE, RETIRED

ROW = Row("app", b"\1" * 16, "Deploy on Fridays", 1_780_000_000_123_456, 0)
_IDS = st.binary(min_size=16, max_size=16)
_TIMES = st.integers(0, 4_000_000_000_000_000)
_TEXTS = (
    st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1)
    .map(str.strip)
    .filter(lambda text: text.isascii() and text.isalnum())
)


@given(
    st.builds(
        Row,
        st.sampled_from(["app", "__shared__", "проект-α", "a\nb"]),
        _IDS,
        _TEXTS,
        _TIMES,
        st.integers(0, 4),
        st.integers(0, 3),
        st.sampled_from([0, KIND_ALIAS]),
        _TIMES,
        st.one_of(st.sampled_from([LIVE, RETIRED]), _IDS),
    )
)
def test_a_line_comes_back_as_the_row_it_was_made_of(row: Row) -> None:
    line = to_line(row)
    assert "\n" not in line
    assert parse([line.encode()]) == [(1, row)]
    assert to_line(parse([line.encode()])[0][1]) == line


def test_counts_and_weight_come_back() -> None:
    row = Row("app", b"\2" * 16, "x y", 5, 2, recalls=7, recalled_us=9, weight=0.3333333333333333)
    assert parse([to_line(row).encode()]) == [(1, row)]


def test_an_ordinary_fact_is_a_short_line() -> None:
    assert json.loads(to_line(ROW)) == {
        "agent_id": "app",
        "id": encode(b"\1" * 16),
        "text": "Deploy on Fridays",
        "created_at": "2026-05-28T20:26:40.123456Z",
        "source": "user",
    }


def test_lines_are_put_in_the_order_of_time_and_blank_ones_skipped() -> None:
    older = to_line(Row("app", b"\3" * 16, "older", 4, 0)).encode()
    found = parse([b"\xef\xbb\xbf" + to_line(ROW).encode(), b"", b" \r", older])
    assert [(number, row.text) for number, row in found] == [(4, "older"), (1, "Deploy on Fridays")]


def _line(**changes: object) -> bytes:
    body = json.loads(to_line(ROW)) | changes
    return json.dumps({key: value for key, value in body.items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{not json", "it is not JSON"),
        (b"[" * 5000, "it is not JSON"),
        (b'["a"]', "it is not a JSON object"),
        (b'{"text": "\xff"}', "it is not UTF-8"),
        (_line(id=...), "it has no id"),
        (_line(text=7), "its text has the wrong type"),
        (_line(access_count=True), "its access_count has the wrong type"),
        (_line(access_count=-1), "its access_count is out of range"),
        (_line(weight=1.5), "its weight is not between 0 and 1"),
        (_line(id="short"), "an id is not a ULID"),
        (_line(superseded_by="nobody"), "an id is not a ULID"),
        (_line(created_at="yesterday"), "a time is not RFC 3339"),
        (_line(created_at="2026-01-01T00:00:00"), "a time has no zone"),
        (_line(source="nobody"), "its source is not one of"),
        (_line(confidence="VERIFIED"), "its confidence is not one of"),
        (_line(agent_id=" "), "blank"),
        (_line(text="  "), "no text to save"),
        (_line(text="AWS key AKIA" + "IOSFODNN7EXAMPL3"), "looks like a secret"),
    ],
)
def test_a_line_that_is_no_fact_is_named_by_its_number_and_never_quoted(line: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=f"line 2: .*{reason}") as caught:
        parse([to_line(ROW).encode(), line])
    assert [number for number, _ in caught.value.problems] == [2]
    assert "IOSFODNN7" not in str(caught.value)


def test_every_bad_line_is_listed() -> None:
    with pytest.raises(Malformed, match="line 1: it is not JSON and 1 more") as caught:
        parse([b"x", to_line(ROW).encode(), b"y"])
    assert [number for number, _ in caught.value.problems] == [1, 3]


def test_a_repeated_line_is_fine_and_a_contradiction_is_not() -> None:
    assert len(parse([_line(), _line()])) == 2
    assert len(parse([_line(), _line(access_count=3), _line(superseded_by="agent")])) == 3
    with pytest.raises(Malformed, match="line 2: another line has this id"):
        parse([_line(), _line(text="Deploy on Mondays")])
