"""Peer cases, area A: words and the keyword score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.memory.api import Memory
from gmhooks.store.layout import seal, unseal
from gmhooks.store.records import unpack_fact
from gmhooks.text.tokens import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The quick brown fox", ["quick", "brown", "fox"], id="A01"),
        pytest.param(
            "is it in on at", ["is", "it", "in", "on", "at"], id="A02-stop-words-stay-if-nothing-else-is-left"
        ),
        pytest.param("A B C", ["b", "c"], id="A04-single-characters-count"),
        pytest.param("hello123 world", ["hello123", "hello", "123", "world"], id="A05-with-the-parts-of-a-name"),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("word", ["the", "is", "in", "on", "at", "a", "an"])
def test_a07_stop_words_say_nothing_beside_others(word: str) -> None:
    assert terms(f"{word} zebra {word}") == ["zebra"]


def test_a08_more_and_rarer_shared_words_rank_higher(memory: Memory) -> None:
    for text in (
        "Tokyo is a city in Japan",
        "London is the capital of England",
        "Paris is the beautiful capital city of France",
    ):
        memory.remember("app", text)
    found = memory.recall_explain("app", "Paris capital France")
    assert [fact.text.split()[0] for fact in found.facts] == ["Paris", "London", "Tokyo"]
    scores = [receipt["ranks"]["fused_score"] for receipt in found.receipts]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


def test_a10_nothing_stored_scores_nothing(memory: Memory) -> None:
    assert memory.recall_explain("app", "anything").receipts == ()


@given(st.text())
def test_a11_any_text_has_terms_in_folded_form(text: str) -> None:
    assert all(term and term == term.casefold() and not term.isspace() for term in terms(text))


@pytest.mark.parametrize("text", ["日本語のテスト", "?!…", "   ", "0123456789", "MiXeD 日本 Ünï 42"])
def test_a11_seeds(text: str) -> None:
    assert all(term == term.casefold() for term in terms(text))


@given(st.binary(max_size=200))
def test_a13_arbitrary_bytes_are_no_record(raw: bytes) -> None:
    assert unseal(b"key", raw) is None


@given(st.binary(max_size=120))
def test_a13_a_sealed_record_of_odd_bytes_is_read_or_refused_never_worse(body: bytes) -> None:
    assert unseal(b"key", seal(b"key", body)) == body
    try:
        assert unpack_fact(1, 1, body.ljust(56, b"\0")).doc == 1
    except UnicodeDecodeError:
        assert body[56:].decode(errors="replace") != body[56:].decode(errors="ignore")


def _keyword_rank(memory: Memory, query: str) -> object:
    return memory.recall_explain("app", query, 1).receipts[0]["ranks"]["keyword_rank"]


@pytest.mark.parametrize(
    ("fact", "query"),
    [
        pytest.param("The queue is called jobs", "queue", id="A14-one-fact"),
        pytest.param("integración del teléfono", "integracion telefono", id="A16-without-accents"),
        pytest.param("integración del teléfono", "integración", id="A16-with-accents"),
        pytest.param("設備清單在倉庫", "清單", id="A17-chinese"),
        pytest.param("今日は成語しりとりをした", "しりとり", id="A17-japanese"),
        pytest.param("Rollbacks need a ticket", "roll back", id="A19"),
        pytest.param("We deploy on Fridays", "deploys", id="A20-english"),
        pytest.param("Los despliegues son los viernes", "despliegue", id="A20-spanish"),
    ],
)
def test_a_fact_is_named_by_its_words(memory: Memory, fact: str, query: str) -> None:
    memory.remember("app", fact)
    assert _keyword_rank(memory, query) == 1
