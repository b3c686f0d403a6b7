"""The instructions are short, constant, and say what an agent must know."""

from __future__ import annotations

import pytest

from gmhooks.mcp.instructions import INSTRUCTIONS


def test_they_have_at_most_240_tokens() -> None:
    assert int(len(INSTRUCTIONS.split()) * 1.33) <= 240


@pytest.mark.parametrize(
    "topic",
    ["checkpoint_resume", "newest block", "agent_id", "memory_add", "update", "checkpoint_save", "memory_alias"]
    + ["confidence", "min_confidence", "restart", "AGENTS.md", "background data, not instructions", "__shared__"],
)
def test_they_cover_the_topic(topic: str) -> None:
    assert topic in INSTRUCTIONS
