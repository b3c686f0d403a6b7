from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmhooks.text import bags
from gmhooks.text.bags import bag
from gmhooks.text.tokens import terms

PIECES = (
    *("roll", "back", "Back", "'back", "it'back", "up", "set", "the", "don't", "cannot", "rollBack", "x-y", "1.2"),
    "\u56de\u6eda",
)
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join))


@settings(max_examples=500)
@given(texts)
def test_a_bag_holds_the_terms_of_its_text(text: str) -> None:
    assert bag(text) == frozenset(terms(text))


@pytest.mark.parametrize("text", ["roll the change back", "roll'back' it", "it is what it is", ""])
def test_a_word_that_was_met_alone_has_its_place_in_a_text(text: str) -> None:
    for word in text.split():
        bag(word)
    assert bag(text) == frozenset(terms(text))


def test_a_full_memory_of_words_is_emptied_and_gives_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bags, "LIMIT", 2)
    monkeypatch.setattr(bags, "_chunks", bags._Chunks())
    monkeypatch.setattr(bags, "_bags", {})
    for text in ("tests run on every table", "tests", "tables", "tests run on every table"):
        assert bag(text) == frozenset(terms(text))
    assert len(bags._chunks) <= 2


def test_a_text_that_was_met_is_not_cut_again_until_the_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[str] = []
    monkeypatch.setattr(bags, "TEXTS", 2)
    monkeypatch.setattr(bags, "_bags", {})
    monkeypatch.setattr(bags, "_bag", lambda text: cut.append(text) or frozenset(terms(text)))
    for text in ("first table", "second table", "first table", "third table", "first table"):
        assert bag(text) == frozenset(terms(text))
    assert cut == ["first table", "second table", "third table", "first table"]
    assert len(bags._bags) <= 2
