from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text.spelling import one_edit, spelt_words

words = st.text("abcd", min_size=1, max_size=7)


def reachable(word: str) -> set[str]:
    """Every word of these letters that one edit makes of a word."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    fewer = {head + tail[1:] for head, tail in cuts if tail}
    more = {head + letter + tail for head, tail in cuts for letter in "abcd"}
    others = {head + letter + tail[1:] for head, tail in cuts if tail for letter in "abcd"}
    turned = {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    return (fewer | more | others | turned) - {word}


@given(words, words)
def test_one_edit_is_what_one_edit_makes(word: str, other: str) -> None:
    assert one_edit(word, other) == (other in reachable(word))


@given(words)
def test_every_word_one_edit_away_is_told(word: str) -> None:
    assert all(one_edit(word, other) for other in reachable(word))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Alembic migrations, never by hand.", {"alembic": "alemb", "migrations": "migrat", "never": "never"}),
        ("RabbitMQ", {"rabbitmq": "rabbitmq", "rabbit": "rabbit"}),
        ("Idempotency-Key", {"idempotency": "idempot"}),
        ("port 5432 of db-1", {}),
        ("数据库备份", {}),
        ("базы данных", {"данных": "данны"}),
    ],
)
def test_plain_words_come_with_their_terms(text: str, found: dict[str, str]) -> None:
    assert spelt_words(text) == found
