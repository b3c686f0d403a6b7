"""The lexical packet policy: whole facts in a budget of bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks.packet import BUDGET, select, terms_of
from tests.hooks.project import Project

THREE = ["ñ", "日本", "ab"]


def test_k70_the_most_similar_for_its_size_goes_first() -> None:
    assert select("alpha", ["other subject", "alpha alpha", "alpha"], 2) == [2, 1]


def test_k72_equal_scores_keep_the_order_of_the_pool() -> None:
    texts = [f"other {letter}" for letter in "edcba"]
    assert all(select("alpha", texts) == [0, 1, 2] for _ in range(25))


def test_k73_terms_are_folded_runs_and_none_is_left_out() -> None:
    found = ["está", "está", "no", "not", "strasse", "strasse", "a", "2026"]
    assert terms_of("ESTÁ está ＮＯ not Straße STRASSE A_2026") == found


@pytest.mark.parametrize(("budget", "chosen"), [(10, [0, 1]), (9, [0, 2]), (2, [0]), (1, [])])
def test_k75_bytes_count_with_those_between(budget: int, chosen: list[int]) -> None:
    assert select("x", THREE, 3, budget) == chosen


def test_k76_a_fact_too_large_is_passed_over() -> None:
    assert select("alpha", ["alpha " * 200, "alpha", "beta"]) == [1, 2]


@pytest.mark.parametrize(
    ("query", "texts", "most", "budget"),
    [
        ("", THREE, 3, 9),
        (" ", THREE, 3, 9),
        ("x", ["a", " "], 3, 9),
        ("x", ["a", "a"], 3, 9),
        ("x", ["\ud800"], 3, 9),
        ("\ud800", ["a"], 3, 9),
        ("x", [str(n) for n in range(33)], 3, 9),
        ("x", ["a" * 65_537], 3, 9),
        ("x" * 65_537, ["a"], 3, 9),
        ("x", [f"{n}" * 60_000 for n in range(5)], 3, 9),
        ("x", THREE, 0, 9),
        ("x", THREE, -1, 9),
        ("x", THREE, 3, 0),
        ("x", THREE, 3, -1),
    ],
)
def test_k78_unsound_input_is_an_error(query: str, texts: list[str], most: int, budget: int) -> None:
    with pytest.raises(ValueError):
        select(query, texts, most, budget)


@given(st.lists(st.text(min_size=1, max_size=300).filter(str.strip), max_size=32, unique=True), st.integers(1, 900))
def test_a_packet_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    texts = [text for text in texts if text.isprintable()]
    chosen = select("some words", texts, 3, budget)
    sizes = [len(texts[at].encode()) for at in chosen]
    assert sum(sizes) + 2 * max(len(sizes) - 1, 0) <= budget
    assert len(set(chosen)) == len(chosen) <= 3


@pytest.fixture
def lexical(tmp_path) -> Project:
    project = Project(tmp_path)
    project.add("alembic migrations run nightly", "alembic " + "and more words " * 80, "never run alembic by hand", "argo")
    project.add("alembic is shared", shared=True)
    (project.data / "hooks.conf").write_text("packet_policy=lexical\n")
    return project


def test_k85_project_and_shared_facts_within_their_budgets(lexical: Project) -> None:
    lines = lexical.prompt("when do alembic migrations run?").lines
    assert sorted(lines) == ["alembic is shared", "alembic migrations run nightly", "never run alembic by hand"]
    assert sum(len(line.encode()) for line in lines) <= 2 * BUDGET


def test_k82_the_receipt_tells_numbers_and_no_text(lexical: Project) -> None:
    lexical.prompt("when do alembic migrations run?")
    receipts = [json.loads(line) for line in (lexical.data / "hooks.log").read_text().splitlines()]
    (packet,) = [receipt for receipt in receipts if receipt["code"] == "packet"]
    assert packet["detail"] == "project lexical 2/3 57 bytes; shared lexical 1/1 17 bytes"


def test_k84_a_fact_is_shown_once_a_session_whatever_is_changed_around_it(lexical: Project) -> None:
    assert len(lexical.prompt("when do alembic migrations run?").lines) == 3
    assert lexical.prompt("which alembic migrations run by hand?").stdout == b""
    lexical.add("alembic migrations take a lock")
    assert lexical.prompt("do alembic migrations take locks?").lines == ["alembic migrations take a lock"]


def test_an_unrelated_prompt_gets_no_packet(lexical: Project) -> None:
    assert lexical.prompt("write a haiku about rain").stdout == b""
