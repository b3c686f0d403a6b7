"""Spellings of one word in other scripts meet."""

from __future__ import annotations

import pytest

from gmhooks.text.fold import fold, light_stem


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ÁÉÍ ñ ç", "AEI n c"),
        ("Ärger groß Łódź Ægir", "Arger gross Lodz AEgir"),
        ("ёж Йод", "еж Иод"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("nai\u0308ve\u00ad", "naive"),
        ("１２ ٣", "12 3"),
        ("x²", "x2"),
        ("a—b…", "a b..."),
        ("ﾊﾝｶｸ", " ハンカク "),
        ("ab漢字cd", "ab 漢字 cd"),
        ("가나", " 가나 "),
        ("a\x1f\x1fb", "a  b"),
    ],
)
def test_marks_width_and_invisible_characters_are_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("one", "other"), [("проекта", "проектами"), ("والكتاب", "كتاب"), ("مدرسة", "مدرس"), ("δοκιμη", "δοκιμη")]
)
def test_forms_of_one_word_share_a_stem(one: str, other: str) -> None:
    assert light_stem(one) == light_stem(other)


def test_short_words_keep_their_letters() -> None:
    assert [light_stem(word) for word in ("из", "код", "في", "باب")] == ["из", "код", "في", "باب"]
