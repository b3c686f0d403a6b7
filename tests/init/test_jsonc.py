"""The scanner accepts what JSON is, refuses the rest with its place, and knows where everything stands."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmhooks.init.jsonc import BOM, MAX_DEPTH, Node, decode, line_of, parse, pointer, value_of
from gmhooks.init.refusal import Refusal
from tests.init.documents import scattered, settings_bytes, settings_values

_PIECES = st.lists(
    st.sampled_from([*'{}[]:,"\\/\n\r\t -+.0129eEnaN', "true", "false", "null", '"a"', '"b"', "\\u00e9", "\x0b"]),
    max_size=14,
)


def judged(text: str) -> object:
    """The standard library's reading, made as strict as the standard; raises ValueError."""

    def unknown(word: str) -> None:
        raise ValueError(word)

    return json.loads(text, parse_constant=unknown)


def refusal(text: str, *, comments: bool = False) -> Refusal:
    with pytest.raises(Refusal) as caught:
        parse(text, comments=comments)
    return caught.value


@settings(max_examples=400, deadline=None)
@given(_PIECES.map("".join))
def test_validity_agrees_with_the_json_module(text: str) -> None:
    try:
        expected, valid = judged(text), True
    except ValueError:
        expected, valid = None, False
    if valid and not repeats(text):
        assert value_of(text, parse(text)) == expected
    else:
        assert refusal(text).code == ("duplicate_key" if valid else "invalid_json")


def repeats(text: str) -> bool:
    """Whether a valid text has an object with the same key twice."""
    found = []

    def note(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=note)
    return any(found)


@settings(max_examples=200, deadline=None)
@given(settings_bytes())
def test_offsets_slice_back_to_the_same_values(data: bytes) -> None:
    _, text = decode(data)

    def check(node: Node, value: object) -> None:
        assert json.loads(text[node.start : node.end]) == value
        if isinstance(value, dict):
            assert [slot.key for slot in node.slots] == list(value)
            for slot in node.slots:
                assert json.loads(text[slot.start : slot.key_end]) == slot.key
                check(slot.value, value[slot.key])
        elif isinstance(value, list):
            for slot, inner in zip(node.slots, value, strict=True):
                check(slot.value, inner)

    check(parse(text), json.loads(text))


@settings(max_examples=100, deadline=None)
@given(settings_values(), st.integers(0, 2**32), st.sampled_from(["\n", "\r\n"]))
def test_comments_and_trailing_commas_change_no_value(value: dict[str, object], seed: int, eol: str) -> None:
    text = scattered(value, random.Random(seed), eol, comments=True)
    assert json.dumps(json_like(value_of(text, parse(text, comments=True)))) == json.dumps(json_like(value))


def json_like(value: object) -> object:
    """Long integers become floats, as `value_of` reads them."""
    if isinstance(value, dict):
        return {key: json_like(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [json_like(inner) for inner in value]
    return float(value) if isinstance(value, int) and len(str(value)) > 18 else value


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "ends too early"),
        ('{\n"a": 1', 2, "ends too early"),
        ('{\r\n"a": "x', 2, "string is not closed"),
        ('{\r"a": 1,\r}', 2, "trailing comma"),
        ('{\n// c\n"a": 1}', 2, "comments"),
        ("{} {}", 1, "after the end"),
        ("[1 2]", 1, "expected ','"),
        ("{'a': 1}", 1, "key in quotes"),
        ('{"a" 1}', 1, "expected ':'"),
        ("[01]", 1, "expected ','"),
        ("[Infinity]", 1, "not a JSON value"),
        ('["\\x"]', 1, "string"),
        ('["\t"]', 1, "string"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, words: str) -> None:
    found = refusal(text)
    assert (found.code, found.line) == ("invalid_json", line)
    assert words in found.detail


def test_an_open_comment_is_refused_where_comments_are_allowed() -> None:
    assert refusal("{} /* x", comments=True).detail == "a comment is not closed"


def test_a_key_written_twice_is_refused_whatever_its_escapes() -> None:
    found = refusal('{"x": {"ab": 1,\n"\\u0061b": 2}}')
    assert (found.code, found.line, found.pointer) == ("duplicate_key", 2, "/x/ab")


def test_nesting_is_allowed_to_the_limit_and_not_beyond() -> None:
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH).kind == "array"
    assert refusal("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)).code == "too_deep"


@pytest.mark.parametrize(
    "data",
    [
        "{}".encode("utf-16"),
        "{}".encode("utf-16-be"),
        "{}".encode("utf-32-le"),
        b'{"a": "\xc0\xaf"}',
        b'"\xed\xa0\x80"',
    ],
)
def test_anything_but_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        decode(data)
    assert caught.value.code == "encoding"


def test_only_the_first_bom_is_set_aside() -> None:
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbf{}") == (BOM, BOM + "{}")


def test_lines_end_at_lf_crlf_and_cr_only() -> None:
    text = "a\nb\r\nc\rd\u2028e"
    assert [line_of(text, text.index(letter)) for letter in "abcde"] == [1, 2, 3, 4, 4]


def test_a_pointer_escapes_tilde_and_slash() -> None:
    assert pointer("a/b", "~c") == "/a~1b/~0c"
