"""What may reach a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gmhooks.cli.out import counted, shown


@given(st.text())
def test_shown_text_is_one_line_without_control_reordering_or_surrogates(text: str) -> None:
    line = shown(text)
    assert len(line.splitlines()) <= 1
    assert not [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert not [char for char in line if unicodedata.bidirectional(char) in ("LRE", "RLE", "PDF", "LRO", "RLO")]
    assert not [char for char in line if unicodedata.bidirectional(char) in ("LRI", "RLI", "FSI", "PDI")]
    assert shown(line) == line


def test_plain_words_of_every_script_stay_as_they_are() -> None:
    for text in ("Übung macht den Meister", "日本語のメモ", "👨\u200d👩\u200d👧 family", "<b>not markup</b>"):
        assert shown(text) == text


def test_counted_agrees_in_number() -> None:
    assert (counted(1, "fact"), counted(0, "fact"), counted(12000, "fact")) == ("1 fact", "0 facts", "12,000 facts")
