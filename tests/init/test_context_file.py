"""Which instruction file gets the facts, and which facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.context.facts import best_first
from gmhooks.init.context_file import check, shadows, sync, target
from gmhooks.memory.access import changing
from gmhooks.memory.api import Memory
from gmhooks.store.env import Store
from gmhooks.store.facts import newest
from gmhooks.store.namespaces import find
from gmhooks.store.weights import set_weight


def texts(memory: Memory, agent_id: str | None = None) -> list[str]:
    return [text for text, _ in best_first(memory.data_dir, memory.user_dir, agent_id)]


def weigh(memory: Memory, text: str, value: float) -> None:
    def work(store: Store) -> None:
        ns = find(store, "app")
        assert ns is not None
        doc = next(fact.doc for fact in newest(store, ns) if fact.text == text)
        set_weight(store, ns.number, doc, value)

    changing(memory.data_dir, memory.user_dir, work)


def test_l02_facts_of_equal_weight_come_in_the_order_they_were_stored(memory: Memory) -> None:
    for text in ("aa", "mm", "zz"):
        memory.remember("app", text)

    assert texts(memory) == ["aa", "mm", "zz"]


def test_pinned_then_verified_then_heavier_facts_come_first(memory: Memory) -> None:
    for text in ("light", "plain", "heavy"):
        memory.remember("app", text)
    memory.remember("app", "checked", confidence="verified")
    memory.remember("app", "pinned")
    memory.pin("pinned", ["app"])
    weigh(memory, "light", 0.2)

    assert texts(memory) == ["pinned", "checked", "plain", "heavy", "light"]


def test_retired_facts_and_other_agents_stay_out(memory: Memory) -> None:
    memory.remember("app", "gone")
    memory.forget("gone", ["app"])
    memory.remember("app", "mine")
    memory.remember("other", "theirs")

    assert texts(memory, "app") == ["mine"]
    assert sorted(texts(memory)) == ["mine", "theirs"]


@pytest.mark.parametrize(
    ("files", "name", "warnings"),
    [
        ({}, "AGENTS.md", []),
        ({"AGENTS.md": "a"}, "AGENTS.md", []),
        ({"CLAUDE.md": "c"}, "CLAUDE.md", []),
        ({"AGENTS.md": "a", "CLAUDE.md": "c"}, "CLAUDE.md", ["agents_not_loaded"]),
        ({"AGENTS.md": "a", "CLAUDE.md": "first\n@AGENTS.md\n"}, "AGENTS.md", []),
    ],
)
def test_f098_the_file_that_is_loaded_gets_the_block(
    tmp_path: Path, files: dict[str, str], name: str, warnings: list[str]
) -> None:
    for each, text in files.items():
        (tmp_path / each).write_text(text)

    assert target(str(tmp_path)) == (str(tmp_path / name), warnings)


def test_one_file_with_two_names_is_agents_md(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    assert target(str(tmp_path)) == (str(tmp_path / "AGENTS.md"), [])


def test_f098_making_claude_md_beside_agents_md_is_warned_of(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "app" / "AGENTS.md").write_text("a\n")
    path = str(tmp_path / "app" / "CLAUDE.md")
    assert shadows(path)

    done = sync(path, memory.data_dir, memory.user_dir, agent_id=None, budget=512, force=False, dry_run=True)

    assert done.to_json()["warnings"] == ["shadows_agents"]


def test_f095_an_edit_by_hand_is_detected_and_left_alone(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "app" / "AGENTS.md"
    memory.remember("app", "a fact")
    sync(str(path), memory.data_dir, memory.user_dir, agent_id=None, budget=512, force=False, dry_run=False)
    assert check(str(path))[:2] == (True, 1)
    path.write_text(path.read_text().replace("- a fact", "- a fact, improved"))

    done = sync(str(path), memory.data_dir, memory.user_dir, agent_id=None, budget=512, force=False, dry_run=False)

    assert (done.block.reason, done.block.edited, check(str(path))[0]) == ("hand_edited", True, False)
    assert "improved" in path.read_text()
