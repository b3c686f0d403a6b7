from __future__ import annotations

import pytest

from gmhooks.memory import weights
from gmhooks.memory.api import Memory
from gmhooks.memory.weights import kept
from gmhooks.store.env import open_read


def weights_of(memory: Memory, number: int = 1) -> dict[str, float]:
    store = open_read(memory.data_dir)
    try:
        return kept(store, number)
    finally:
        store.close()


def test_weights_are_kept_from_one_opening_to_the_next_for_each_namespace(memory: Memory) -> None:
    memory.remember("project", "Deploys go through argo")
    weights_of(memory)["deploy"] = 2.0
    assert weights_of(memory) == {"deploy": 2.0}
    assert weights_of(memory, 2) == {}


def test_a_write_makes_kept_weights_void(memory: Memory) -> None:
    memory.remember("project", "Deploys go through argo")
    weights_of(memory)["deploy"] = 2.0
    memory.remember("project", "Deploys are on Fridays")
    assert weights_of(memory) == {}


def test_too_many_weights_are_dropped(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "LIMIT", 2)
    memory.remember("project", "Deploys go through argo")
    weights_of(memory).update({"a": 1.0, "b": 1.0})
    assert len(weights_of(memory)) == 2
    weights_of(memory)["c"] = 1.0
    assert weights_of(memory) == {}
