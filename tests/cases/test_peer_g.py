"""Peer cases, area G: words that mean the same, and what a weak search tells."""

from __future__ import annotations

import pytest

from gmhooks.memory.access import reading
from gmhooks.memory.api import Memory
from gmhooks.memory.ranking import Question
from gmhooks.memory.searching import search
from tests.hooks.project import Project


def _keyword_rank(memory: Memory, query: str) -> object:
    return memory.recall_explain("app", query, 1).receipts[0]["ranks"]["keyword_rank"]


def _search(memory: Memory, query: str, least: str | None = None) -> tuple[tuple[str, ...], str | None]:
    question = Question(query, 8, least, None, 1_780_000_000_000_000)
    with reading(memory.data_dir, memory.user_dir) as store:
        found = search(store, memory.data_dir, "app", question, receipts=False)
    return found.texts, found.feedback


def test_g01_the_other_word_finds_the_fact(memory: Memory) -> None:
    memory.remember("app", "The database is Postgres")
    assert _keyword_rank(memory, "db") == 0
    memory.alias("app", "db", ["database"])
    assert _keyword_rank(memory, "db") == 1


@pytest.mark.parametrize(
    ("term", "equivalent", "fact", "query", "rank"),
    [
        pytest.param("db", "database", "The db is Postgres", "database", 1, id="one-to-one-backwards"),
        pytest.param("db", "data base", "The base is Postgres", "db", 1, id="one-to-many-forwards"),
        pytest.param("db", "data base", "The db is Postgres", "base", 0, id="one-to-many-backwards"),
    ],
)
def test_g02_only_single_words_work_both_ways(
    memory: Memory, term: str, equivalent: str, fact: str, query: str, rank: int
) -> None:
    memory.remember("app", fact)
    memory.alias("app", term, [equivalent])
    assert _keyword_rank(memory, query) == rank


def test_g04_aliases_are_no_facts(project: Project) -> None:
    memory = Memory(project.data, project.user_dir)
    agent = project.root.name
    memory.alias(agent, "db", ["database"])
    assert (memory.list(agent), memory.recall(agent, "db database").facts) == ([], ())
    assert (project.start().stdout, project.prompt("which db database do we use?").stdout) == (b"", b"")
    overview = memory.overview()
    assert overview is not None
    assert (overview.namespaces[0].live, overview.namespaces[0].aliases) == (0, 1)


def test_g05_a_retired_alias_stops_at_once(memory: Memory) -> None:
    memory.remember("app", "The database is Postgres")
    alias = memory.alias("app", "db", ["database"])
    memory.forget(alias.short_id, ["app"])
    assert (_keyword_rank(memory, "db"), memory.aliases("app")) == (0, [])


def test_g07_feedback_changes_neither_facts_nor_order(memory: Memory) -> None:
    for number in range(6):
        memory.remember("app", f"zebra {'crossing ' * (number % 3)}{number}")
    texts, said = _search(memory, "zebra unheard")
    assert said is not None
    assert list(texts) == [fact.text for fact in memory.recall("app", "zebra unheard").facts]


def test_g08_unknown_words_are_told_and_a_good_match_is_not(memory: Memory) -> None:
    memory.remember("app", "Integration tests need the staging VPN profile")
    memory.remember("app", "Lunch is at noon")
    assert "knows 0 of the 2 words" in str(_search(memory, "unheard gibberish")[1])
    assert _search(memory, "integration tests staging")[1] is None


def test_g10_nothing_asked_or_nothing_there_says_nothing(memory: Memory) -> None:
    assert _search(memory, "zebra")[1] is None
    memory.remember("app", "Something")
    assert _search(memory, "")[1] is None


def test_g11_no_word_of_retired_or_filtered_facts_is_told(memory: Memory) -> None:
    memory.remember("app", "zebra secretword", confidence="unverified")
    memory.remember("app", "zebra goneword")
    memory.forget("zebra goneword", ["app"])
    for number in range(4):
        memory.remember("app", f"zebra public{number}", confidence="verified")
    said = str(_search(memory, "zebra unheard", "verified")[1])
    assert "secretword" not in said
    assert "goneword" not in said
