"""`graymatter context-sync` as a user runs it."""

from __future__ import annotations

from tests.cli.program import Place


def test_l17_budget_check_and_dry_run(place: Place) -> None:
    place.ok("remember", "Integration tests need the VPN")
    assert place.run("context-sync", "--budget", "63").code == 2
    assert place.run("context-sync", "--check").code == 1

    dry = place.ok("context-sync", "--dry-run")
    assert "+- Integration tests need the VPN" in dry.out
    assert not (place.project / "AGENTS.md").exists()

    done = place.ok("context-sync", "--budget", "0", "--json").data
    assert (done["changed"], done["facts_selected"], done["facts_considered"]) == (True, 1, 1)
    assert (done["backup_created"], done["manual_edit_detected"]) == (False, False)
    checked = place.ok("context-sync", "--check", "--json").data
    assert (checked["verified"], checked["facts"], checked["current"]) == (True, 1, True)


def test_check_tells_an_unedited_block_from_a_current_one(place: Place) -> None:
    place.ok("context-sync")
    place.ok("remember", "A new fact")

    checked = place.ok("context-sync", "--check", "--json").data

    assert (checked["verified"], checked["current"]) == (True, False)


def test_a_hand_edit_is_named_with_file_line_and_reason_and_force_replaces_it(place: Place) -> None:
    place.ok("remember", "A fact")
    place.ok("context-sync")
    file = place.project / "AGENTS.md"
    file.write_text(file.read_text().replace("- A fact", "- My fact"))

    ran = place.run("context-sync")
    assert (ran.code, ran.out) == (1, "")
    assert f"{file}, line 1: hand_edited" in ran.err

    forced = place.ok("context-sync", "--force")
    assert "edited by hand" in forced.err
    assert "- My fact" in (place.project / "AGENTS.md.bak").read_text()
    assert "- A fact" in file.read_text()


def test_remove_gives_the_bytes_back(place: Place) -> None:
    file = place.project / "CLAUDE.md"
    file.write_bytes(b"# Mine\r\nlast")
    place.ok("remember", "A fact")
    assert "+" not in place.ok("context-sync").out

    place.ok("context-sync", "--remove")

    assert file.read_bytes() == b"# Mine\r\nlast"
    assert not (place.project / "CLAUDE.md.bak").exists()


def test_f097_only_the_named_file_is_made(place: Place) -> None:
    before = set(place.project.iterdir())
    place.ok("context-sync", "--file", "notes.md")

    assert set(place.project.iterdir()) - before == {place.project / "notes.md"}


def test_a_store_from_elsewhere_is_not_written_into_a_file(place: Place) -> None:
    for file in (place.user_dir / "trust").iterdir():
        file.unlink()

    ran = place.run("context-sync")

    assert ran.code == 1
    assert not (place.project / "AGENTS.md").exists()
