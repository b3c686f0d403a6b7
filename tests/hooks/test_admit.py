"""One gate decides what may be stored."""

from __future__ import annotations

import pytest

from gmhooks.hooks.admit import MOST_CHARS, Refused, admit


def test_a_plain_text_passes_unchanged() -> None:
    admitted = admit("Use uv, not pip")
    assert (admitted.text, admitted.notes) == ("Use uv, not pip", [])


def test_what_was_taken_out_is_noted() -> None:
    admitted = admit(" a\u200bb <private>secret stuff</private> ")
    assert admitted.text == "ab"
    assert admitted.notes == ["invisible_removed", "private_removed"]


def test_the_longest_fact_passes_and_one_more_character_does_not() -> None:
    assert admit("値" * MOST_CHARS).text == "値" * MOST_CHARS
    with pytest.raises(Refused) as refused:
        admit("値" * (MOST_CHARS + 1))
    assert refused.value.code == "fact_too_long"


def test_a_tag_hidden_by_invisible_characters_is_private_all_the_same() -> None:
    assert admit("keep <pri\u200bvate>not this</private>").text == "keep"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty_remember"),
        ("\u200b \u2060", "empty_remember"),
        ("<private>all of it", "private_only"),
        ("x" * 200_000, "fact_too_long"),
        ("use gh" + "p_" + "FAKE" * 9, "secret:github_token"),
        ("use gh" + "p_" + "FA\u200bKE" * 9, "secret:github_token"),
    ],
)
def test_refusals_carry_a_code_and_never_the_text(text: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        admit(text)
    assert refused.value.code == code
    assert "FAKE" not in str(refused.value)
