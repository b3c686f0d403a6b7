"""Importing Markdown notes and exporting facts as Markdown, as a user does it."""

from __future__ import annotations

import re

from tests.cli.program import Place


def test_bullets_of_claude_md_become_facts_once(place: Place) -> None:
    file = place.project / "CLAUDE.md"
    file.write_text("# Rules\n\n- Use tabs\n- Tests need the VPN\n")
    held = file.read_bytes()

    assert place.ok("import", "CLAUDE.md", "--dry-run", "--json").data["added"] == 2
    assert place.ok("list", "--json").data["facts"] == []
    assert place.ok("import", "CLAUDE.md", "--json").data["changed"] is True
    again = place.ok("import", "CLAUDE.md", "--json").data
    assert (again["added"], again["duplicates"], again["changed"]) == (0, 2, False)
    assert file.read_bytes() == held


def test_claude_codes_own_notes_are_read_with_their_topic_files(place: Place) -> None:
    folder = place.home / ".claude/projects" / re.sub("[^A-Za-z0-9]", "-", str(place.project)) / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [Build](build.md) — how\n- Staging is at port 8080\n")
    (folder / "build.md").write_text("---\nname: build\n---\nRun make twice.\n")
    before = {path: path.read_bytes() for path in folder.iterdir()}

    assert place.ok("import", "--claude", "--json").data["added"] == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert place.ok("export", "--format", "markdown").out == (
        "# Memory of my-app\n\n- Staging is at port 8080\n- Run make twice.\n"
    )


def test_wrong_words_are_usage_errors(place: Place) -> None:
    assert place.run("import").code == 2
    assert place.run("import", "x.md", "--claude").code == 2
    assert place.run("import", "x.jsonl", "--agent", "a").code == 2
    assert place.run("import", "absent.md").code == 1
