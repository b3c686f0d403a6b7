"""`graymatter uninstall` says of everything what became of it, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.cli.program import Place
from tests.cli.test_in_the_way import WITHOUT_RIGHTS


def _edited(place: Place) -> Path:
    """Hooks with one entry that somebody changed."""
    place.ok("init", "--hooks", "--quiet")
    file = place.project / ".claude" / "settings.local.json"
    text = file.read_text()
    assert '"timeout": 5' in text
    file.write_text(text.replace('"timeout": 5', '"timeout": 7', 1))
    return file


def _actions(data: dict[str, object]) -> list[tuple[str, str]]:
    found = data["actions"]
    assert isinstance(found, list)
    return [(each["id"], each["status"]) for each in found]


def test_an_edited_hook_entry_stays_and_is_named(place: Place) -> None:
    file = _edited(place)

    said = place.ok("uninstall").out

    assert f"{file}: hooks:local removed\n{file}: hooks:local edited by hand, kept\n" in said
    assert '"timeout": 7' in file.read_text()
    assert "edited by hand, kept" in place.run("uninstall", "--check").out


def test_without_anything_of_ours_it_says_so(place: Place) -> None:
    said = place.ok("uninstall").out
    assert said.startswith("Nothing of ours is in files of yours.\nThe facts are kept in ")


def test_the_statuses_are_what_happened(place: Place) -> None:
    _edited(place)

    looked = place.run("uninstall", "--check", "--json").data
    first = place.ok("uninstall", "--json").data
    second = place.ok("uninstall", "--json").data
    forced = place.ok("uninstall", "--force", "--json").data
    nothing = place.ok("uninstall", "--json").data

    assert _actions(looked) == [("hooks:local", "present"), ("hooks:local", "preserved")]
    assert (looked["status"], looked["changed"], looked["left"]) == ("checked", False, 2)
    assert _actions(first) == [("hooks:local", "removed"), ("hooks:local", "preserved")]
    assert (first["status"], first["changed"], first["left"]) == ("partial", True, 1)
    assert _actions(second) == [("hooks:local", "preserved")]
    assert (second["status"], second["changed"], second["left"]) == ("preserved", False, 1)
    assert (forced["status"], forced["changed"], forced["left"]) == ("removed", True, 0)
    assert (nothing["status"], nothing["changed"], nothing["left"]) == ("absent", False, 0)


def test_what_serves_all_projects_is_not_called_removed_while_it_stays(place: Place) -> None:
    place.ok("init", "--only", "codex", "--quiet")

    wider = place.ok("uninstall", "--json").data["for_all_projects"]

    assert [(each["id"], each["status"]) for each in wider] == [("mcp:codex", "present")]


def test_a_settings_file_that_may_not_be_read_is_told_once_and_nothing_is_claimed_of_it(place: Place) -> None:
    place.ok("init", "--hooks", "--quiet")
    file = place.project / ".claude" / "settings.local.json"
    file.chmod(0)

    refused = place.python(WITHOUT_RIGHTS, "uninstall")
    looked = place.python(WITHOUT_RIGHTS, "uninstall", "--check")

    assert refused.returncode == 1
    assert refused.stderr.count("unreadable") == 1
    assert looked.returncode == 1
    assert "rule" not in looked.stdout
    assert "unreadable" in looked.stderr
