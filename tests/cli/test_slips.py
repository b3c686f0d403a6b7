"""Slips that people make in their first days: each is refused or told with the next step, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Place


class TestExportTarget:
    def test_a_bare_name_is_written_into_the_current_directory(self, place: Place) -> None:
        place.ok("remember", "Here")
        assert place.ok("export", "--out", "memory.jsonl").out == "Exported 1 fact to memory.jsonl.\n"
        assert (place.project / "memory.jsonl").read_text() == place.ok("export").out

    @pytest.mark.parametrize("first", ["jsonl", "markdown"])
    @pytest.mark.parametrize("second", ["jsonl", "markdown"])
    def test_a_former_export_is_replaced(self, place: Place, first: str, second: str) -> None:
        place.ok("remember", "One\n\ntwo")
        place.ok("export", "--out", "memory.txt", "--format", first)
        place.ok("export", "--out", "memory.txt", "--format", second)
        assert (place.project / "memory.txt").read_text() == place.ok("export", "--format", second).out

    @pytest.mark.parametrize("held", ["# Notes\n- buy milk\n", '{"name": "app"}\n', "plain\n", "\xff"])
    def test_another_file_is_kept_unless_forced(self, place: Place, held: str) -> None:
        target = place.project / "mine"
        target.write_text(held, encoding="latin-1")
        ran = place.run("export", "--out", "mine", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "file_exists")
        assert "--force" in ran.data["error"]["next"]
        assert target.read_text(encoding="latin-1") == held
        place.ok("remember", "Here")
        place.ok("export", "--out", "mine", "--force")
        assert target.read_text() == place.ok("export").out

    def test_a_directory_is_never_replaced(self, place: Place, tmp_path: Path) -> None:
        ran = place.run("export", "--out", str(tmp_path), "--force")
        assert ran.code == 1
        assert "no regular file" in ran.err


def test_recall_of_both_memories_puts_the_match_first_and_counts_the_shared_facts(place: Place) -> None:
    place.ok("remember", "The kitchen is on the second floor")
    place.ok("remember", "--shared", "All timestamps are UTC")
    ran = place.ok("recall", "--all", "timestamps")
    assert ran.out.splitlines()[0] == "All timestamps are UTC"
    assert ran.err == "2 facts from my-app and shared memory (1 shared):\n"
