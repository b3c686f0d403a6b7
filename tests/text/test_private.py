"""What is marked as private never reaches the store."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text.private import strip_private


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>x</private> b", "a b"),
        ("<PRIVATE>x</Private>b", "b"),
        ("a<private>x", "a"),
        ("a<private>x</private>b<private>y", "ab"),
        ("a<private>x<private>y</private>z</private>b", "ab"),
        ("a< private\n>x</ private >b", "ab"),
        ("İ<private>x</private>y", "İy"),
        ("a<b <private>x</private>", "a<b "),
    ],
)
def test_private_parts_are_removed(text: str, kept: str) -> None:
    assert strip_private(text) == (kept, True)


@pytest.mark.parametrize(
    "text", ["", "plain", "a private matter", "a </private> b", "<privately>x", "x < private", "< private", "<<<<"]
)
def test_text_without_a_private_part_stays(text: str) -> None:
    assert strip_private(text) == (text, False)


@given(
    st.lists(
        st.sampled_from(["<private>", "</private>", "<Private >", "a", " ", "<", ">", "secret", "\u0130"]), max_size=12
    )
)
def test_the_result_has_no_opening_tag_that_was_in_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    kept, removed = strip_private(text)
    assert removed == ("<private>" in text.lower() or "<private >" in text.lower())
    assert len(kept) < len(text) if removed else kept == text
