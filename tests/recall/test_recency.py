from __future__ import annotations

import pytest

from gmhooks.recall.recency import bucket
from tests.recall.worlds import Draft, World


@pytest.mark.parametrize(("age", "expected"), [(-5, 0), (0, 0), (29, 0), (30, 1), (59, 1), (60, 2)])
def test_a_bucket_is_thirty_days_of_age(age: int, expected: int) -> None:
    assert bucket(20_000, 20_000 - age) == expected


def test_named_facts_share_the_dense_rank_of_their_bucket(folder: str) -> None:
    world = World(folder, "a").write([Draft(f"redis {age}", age=age) for age in (400, 65, 61, 3)])
    ranks = {hit.fact.text: hit.recency_rank for hit in world.recall(["redi"]).hits}
    assert ranks == {"redis 3": 1, "redis 61": 2, "redis 65": 2, "redis 400": 3}


def test_fillers_follow_the_named_facts_newest_first(folder: str) -> None:
    world = World(folder, "a").write([Draft(text, age=age) for text, age in (("old", 90), ("redis", 50), ("new", 1))])
    assert [(hit.fact.text, hit.recency_rank) for hit in world.recall(["redi"]).hits] == [
        ("redis", 1),
        ("new", 2),
        ("old", 3),
    ]
