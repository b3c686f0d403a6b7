"""Where something is in the way or lost, the cause is named, nothing half-made stays, and the way back is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.program import Place, Ran
from tests.frozen import frozen


def _with_a_frozen_home(place: Place, *words: str) -> Ran:
    """Run the command while the home is read-only and the project is not."""
    done = frozen(place.home, [sys.executable, "-m", "gmhooks", *words], cwd=place.project, env=place.env())
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("used_before", [True, False])
def test_a_read_only_home_is_named_and_nothing_is_half_made(tmp_path: Path, used_before: bool) -> None:
    place = Place(tmp_path / "home", tmp_path / "my-app")
    place.home.mkdir()
    place.project.mkdir()
    if used_before:
        place.user_dir.joinpath("trust").mkdir(parents=True)

    ran = _with_a_frozen_home(place, "init", "--json")

    error = ran.data["error"]
    assert (ran.code, error["code"], "Read-only file system" in error["message"]) == (1, "io_error", True), ran
    assert error["where"].startswith(str(place.home))
    assert list(place.project.iterdir()) == []
    assert place.ok("init", "--json").data["store"] == "created"


class TestUndo:
    def test_a_revision_to_a_text_that_is_there_already_is_taken_back_and_nothing_else(self, place: Place) -> None:
        place.ok("remember", "Port is 2")
        place.ok("remember", "Port is 1", "--confidence", "verified")
        place.ok("remember", "Unrelated")
        assert place.ok("revise", "Port is 1", "Port is 2").out.endswith("Undo: graymatter undo\n")

        assert place.ok("undo").out.startswith("Holds again: [")

        held = place.ok("list", "--json").data["facts"]
        assert [(fact["text"], fact.get("confidence")) for fact in held] == [
            ("Unrelated", None),
            ("Port is 1", "verified"),
            ("Port is 2", None),
        ]
        assert place.ok("undo").out.startswith("Undone: [")
        assert [fact["text"] for fact in place.ok("list", "--json").data["facts"]] == ["Port is 1", "Port is 2"]


    def test_a_revision_of_an_alias_is_taken_back_whole(self, place: Place) -> None:
        place.ok("remember", "The staging network is corp-eu")
        place.ok("remember", "Lunch is at noon")
        place.ok("alias", "vpn", "network")
        place.ok("revise", "alias: vpn = network", "alias: vpn = lunch")

        done = place.ok("undo", "--json").data

        assert [fact["text"] for fact in done["restored"]] == ["alias: vpn = network"]
        assert "alias: vpn = network" in place.ok("alias", "list").out
        assert place.ok("recall", "vpn", "--top-k", "1").out == "The staging network is corp-eu\n"


class TestRepair:
    def test_backups_are_named_when_facts_may_be_lost(self, place: Place) -> None:
        place.ok("remember", "a fact")
        backup = place.ok("backup", "--json").data["path"]
        data = place.data_dir / "gray.mdb"
        data.write_bytes(bytes(os.path.getsize(data)))

        said = place.ok("repair").out

        assert f"Backup: {backup}\n" in said
        assert "graymatter restore brings the newest back" in said
        place.ok("restore")
        assert "a fact" in place.ok("list").out

    def test_a_sound_store_names_none(self, place: Place) -> None:
        place.ok("backup")
        assert "ackup" not in place.ok("repair").out


class TestRenamed:
    @pytest.fixture
    def renamed(self, place: Place) -> Place:
        place.ok("remember", "the staging VPN is corp-eu")
        place.project.rename(place.home / "new-app")
        place.project = place.home / "new-app"
        return place

    COMMAND = "graymatter adopt my-app"

    @pytest.mark.parametrize("words", [("list",), ("recall", "VPN"), ("whoami",), ("trust", "--yes"), ("doctor",)])
    def test_whoever_finds_nothing_names_the_command(self, renamed: Place, words: tuple[str, ...]) -> None:
        assert self.COMMAND in renamed.ok("trust", "--yes").err
        ran = renamed.ok(*words)
        assert (ran.out + ran.err).count(self.COMMAND) == 1
        renamed.ok(*self.COMMAND.split()[1:])
        ran = renamed.ok(*words)
        assert self.COMMAND not in ran.out + ran.err
        assert "corp-eu" in renamed.ok("list").out

    def test_the_command_names_the_store_that_was_named(self, renamed: Place) -> None:
        renamed.ok("trust", "--yes")
        other = renamed.home / "third"
        other.mkdir()
        ran = renamed.run("list", "--dir", str(renamed.data_dir), cwd=other)
        assert f"{self.COMMAND} --dir {renamed.data_dir}" in ran.err

    def test_a_project_with_facts_of_its_own_is_told_nothing(self, renamed: Place) -> None:
        renamed.ok("trust", "--yes")
        renamed.ok("remember", "its own")
        assert renamed.ok("recall", "its own").err == "1 fact from new-app:\n"


def test_doctor_sends_an_unprepared_folder_where_remember_does(bare: Place) -> None:
    saved = bare.run("remember", "x", "--json").data["error"]
    checks = {each["name"]: each for each in bare.run("doctor", "--json").data["checks"]}
    assert saved["next"] == checks["data_dir"]["hint"] == checks["store"]["hint"] == "graymatter init"
    assert "not prepared" in checks["store"]["detail"]


def test_prompts_that_go_to_a_server_that_is_gone_are_told_by_status_and_by_every_install(place: Place) -> None:
    place.ok("init", "--hooks", "--mcp", "--quiet")
    place.ok("hooks", "install", "--via", "mcp")
    assert place.ok("status", "--json").data["memory"] == "on"
    (place.project / ".mcp.json").unlink()

    told = place.ok("status", "--json").data
    assert (told["memory"], [reason["code"] for reason in told["reasons"]]) == ("off", ["server_missing"])
    assert "the server is not registered" in place.ok("hooks", "install").err

    place.ok("hooks", "install", "--via", "command")
    assert place.ok("status", "--json").data["memory"] == "on"
    assert place.ok("hooks", "install").err == ""
