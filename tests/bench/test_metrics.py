"""The measures by hand-worked cases and by what must hold for every ranking."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.bench.metrics import CUTS, currency, judge, mean, noise

LETTERS = "abcdefghijklmnopqrstuvwxyz"
RANKING = st.permutations(LETTERS).flatmap(lambda order: st.integers(0, 26).map(lambda size: order[:size]))
GOLD = st.sets(st.sampled_from(LETTERS), min_size=1, max_size=12).map(sorted)


def test_one_of_two_gold_facts_at_rank_two() -> None:
    row = judge(["x", "a", "y"], ["a", "b"])

    assert row["R@1"] == 0
    assert row["R@3"] == row["R@20"] == 0.5
    assert row["H@5"] == 1
    assert row["MRR"] == 0.5
    assert row["nDCG@10"] == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert row["P@8"] == pytest.approx(1 / 3)
    assert row["returned@8"] == 3
    assert row["silent"] == 0


def test_silence_is_worth_nothing_and_is_counted() -> None:
    row = judge([], ["a"])

    assert row["silent"] == 1
    assert sum(row.values()) == 1


@given(RANKING, GOLD)
def test_recall_grows_with_the_cut_and_everything_stays_within_bounds(ids: list[str], gold: list[str]) -> None:
    row = judge(ids, gold)
    recalls = [row[f"R@{cut}"] for cut in CUTS]

    assert recalls == sorted(recalls)
    assert all(0 <= value <= 1 + 1e-9 for key, value in row.items() if key != "returned@8")


@given(GOLD)
def test_the_gold_facts_first_are_perfect(gold: list[str]) -> None:
    row = judge(gold, gold)

    assert row["MRR"] == row["R@20"] == 1
    assert row["nDCG@10"] == pytest.approx(1)


def test_what_holds_now_is_first_only_if_it_comes_before_what_it_replaced() -> None:
    assert currency(["new", "old"], ["new"], ["old"]) == {"stale@8": 1.0, "current@8": 1.0, "current_first": 1.0}
    assert currency(["old", "new"], ["new"], ["old"])["current_first"] == 0
    assert currency([], ["new"], ["old"])["current_first"] == 0


def test_noise_counts_prompts_and_facts() -> None:
    assert noise([0, 3, 0, 1]) == {"prompts": 4, "injected_rate": 0.5, "facts_per_prompt": 1.0}


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) == {}
    assert mean([{"a": 1.0}, {"a": 2.0}]) == {"a": 1.5}
