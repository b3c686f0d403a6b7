"""What is stored of a text, and which texts count as the same."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text.clean import MAX_MARKS, clean, equal_key
from tests.shared_material import SHARED, needs_shared

DELICATE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("ab \n\r\t\0\x9b\x85\u200b\u200c\u200d\ufe0f\ufe0e\u0301\u0302\u064b\u0628\u0645\u0915\u094d"),
        st.sampled_from("⚠👩💻1\u20e3\u202e\U000e0041🏴\u3164\u2800\ufeff\u0130\u1e9e\u0345\ud83d.。"),
    ),
    max_size=40,
)
FORBIDDEN = frozenset(
    [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x200B, 0x200E, 0x200F]
    + [*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x3164, 0xFEFF, 0xFFA0, *range(0xFE00, 0xFE0E)]
    + [*range(0xD800, 0xE000), *range(0xE0000, 0xE1000), 0xFFFE, 0xFFFF]
)


def test_plain_text_is_stored_as_it_is() -> None:
    assert clean("API base URL is https://api.v2.example.com") == ("API base URL is https://api.v2.example.com", False)


@pytest.mark.parametrize(
    ("given_text", "stored", "removed"),
    [
        ("  a  b \n", "a  b", False),
        ("a\r\nb\rc", "a\nb\nc", False),
        ("é\r\nb\u2028c\x85d", "é\nb\nc\nd", False),
        ("a\x0bb\x0cc", "a\nb\nc", False),
        ("a\tb", "a\tb", False),
        ("a\0b", "ab", True),
        ("a\x1b[31mb\x9bc", "a[31mbc", True),
        ("pass\u200bword pol\u2060icy \ufeff", "password policy", True),
        ("a\u200db a\u200cb", "ab ab", True),
        ("user \u202e}x{ \u2066y", "user }x{ y", True),
        ("x\U000e0064\U000e0065", "x", True),
        ("a\u3164b\u115fc\u1160\uffa0", "abc", True),
        ("so\u00adft", "soft", True),
        ("a\ud83d b", "a\ufffd b", False),
        ("a\ufffe\U0001ffffb", "ab", True),
        ("warn ⚠\ufe0f sign", "warn ⚠\ufe0f sign", False),
        ("⚠\ufe0f\ufe0f", "⚠\ufe0f", True),
        ("a\ufe0fb", "ab", True),
        ("1\ufe0f\u20e3 2\ufe0f", "1\ufe0f\u20e3 2", True),
        ("👩\u200d💻 👁\ufe0f\u200d🗨\ufe0f", "👩\u200d💻 👁\ufe0f\u200d🗨\ufe0f", False),
        ("👩\u200d x", "👩 x", True),
        ("می\u200cخواهم", "می\u200cخواهم", False),
        ("क्\u200dष", "क्\u200dष", False),
        ("icon \ue0b0 \uf8ff", "icon \ue0b0 \uf8ff", False),
        ("שלום عالم", "שלום عالم", False),
        ("\u200b\u200d\u2060", "", True),
        ("", "", False),
    ],
)
def test_only_what_cannot_be_seen_is_removed(given_text: str, stored: str, removed: bool) -> None:
    assert clean(given_text) == (stored, removed)


def test_a_pile_of_combining_marks_is_cut() -> None:
    assert clean("z" + "\u0301" * 30 + "x") == ("z" + "\u0301" * MAX_MARKS + "x", True)


@given(DELICATE)
def test_stored_text_holds_nothing_forbidden_and_stays_as_it_is(text: str) -> None:
    stored, _ = clean(text)
    assert FORBIDDEN.isdisjoint(map(ord, stored))
    assert clean(stored) == (stored, False)
    stored.encode("utf-8")
    run = 0
    for character in stored:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        assert run <= MAX_MARKS + stored.count("\ufe0f") + stored.count("\ufe0e")


@given(st.text(st.characters(min_codepoint=0, max_codepoint=127)))
def test_ascii_text_is_stored_the_same_beside_other_characters(text: str) -> None:
    stored, removed = clean(f"x{text}x")
    assert clean(f"ñ{text}ñ") == (f"ñ{stored[1:-1]}ñ", removed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs.", "use  tabs"),
        ("Use\ntabs", "USE TABS"),
        ("Straße", "STRASSE"),
        ("ＡＢＣ", "abc"),
        ("café", "cafe\u0301"),
        ("使う。", "使う"),
        ("done ...", "done"),
    ],
)
def test_texts_that_differ_in_case_width_blanks_or_full_stop_are_equal(one: str, other: str) -> None:
    assert equal_key(one) == equal_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("аdmin", "admin"), ("café", "cafe"), ("use tabs?", "use tabs"), ("a-b", "a b"), ("v1.2", "v12")]
)
def test_texts_that_differ_in_a_letter_or_sign_are_not_equal(one: str, other: str) -> None:
    assert equal_key(one) != equal_key(other)


@given(DELICATE)
def test_the_key_of_a_key_is_the_key(text: str) -> None:
    assert equal_key(equal_key(text)) == equal_key(text)


def _unicode_cases() -> list[tuple[str, str, dict[str, object]]]:
    if SHARED is None:
        return []
    folder = SHARED / "corpora" / "facts"
    cases = json.loads((folder / "index.json").read_text())["cases"]
    return [
        (case["id"], "".join(json.loads((folder / case["file"]).read_text())["parts"]), case["expect"])
        for case in cases
        if case["cat"] in ("unicode", "benign") or case["id"] in ("numbers", "only-invisible")
    ]


@needs_shared
def test_the_corpus_of_delicate_texts_is_stored_as_expected() -> None:
    wrong = []
    for case, text, expect in _unicode_cases():
        stored, removed = clean(text)
        render = expect.get("render", {})
        assert isinstance(render, dict)
        bounds = [[int(end, 16) for end in span.split("-")] for span in render.get("no_codepoints", ())]
        right = (
            expect.get("stored_equals", stored) == stored
            and all(part in stored for part in render.get("contains", ()))
            and not any(part in stored for part in render.get("not_contains", ()))
            and not any(span[0] <= ord(character) <= span[-1] for span in bounds for character in stored)
            and (removed or "receipt" not in expect)
            and (bool(stored) or expect.get("reason") == "empty_remember")
        )
        if not right:
            wrong.append(case)
    assert wrong == []
