"""The sums that status tells are those of what hooks printed."""

from __future__ import annotations

from pathlib import Path

from gmhooks.memory.activity import activity
from tests.hooks.project import NOW, Project

DAY = 86_400


def test_bytes_of_today_and_of_each_session_equal_what_was_printed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.add("Zeppelin hangars open at nine", "Kafka brokers live in rack four")
    old = project.prompt("where do kafka brokers live?", session="old", clock=NOW - 9 * DAY)
    first = project.start(session="a", clock=NOW)
    second = project.prompt("where do kafka brokers live?", session="b", clock=NOW + 60)
    third = project.prompt("when do zeppelin hangars open?", session="b", clock=NOW + 61)
    sizes = [len(answer.context.encode()) for answer in (old, first, second, third)]
    assert all(sizes)
    found = activity(str(project.data), (NOW + 100) * 1_000_000)
    assert (found.today_blocks, found.today_bytes) == (3, sum(sizes[1:]))
    assert [(each.blocks, each.size) for each in found.sessions] == [
        (2, sizes[2] + sizes[3]),
        (1, sizes[1]),
        (1, sizes[0]),
    ]
    assert found.sessions_7_days == 2
    assert found.last_fired["user-prompt"] == "2026-05-28T20:27:41Z"


def test_a_project_without_receipts_has_done_nothing(tmp_path: Path) -> None:
    found = activity(str(tmp_path), NOW * 1_000_000)
    assert (found.today_blocks, found.sessions, set(found.last_fired.values())) == (0, (), {None})
