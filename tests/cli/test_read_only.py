"""What people are told where nothing can be written: the cause, and a step that helps."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.program import Place, Ran
from tests.frozen import frozen


def _frozen(place: Place, *words: str) -> Ran:
    """Run `graymatter WORDS` while the project lies on a read-only file system."""
    command = [sys.executable, "-m", "gmhooks", *words]
    done = frozen(place.project, command, cwd=place.project, env=place.env())
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def set_up(place: Place) -> Place:
    """A prepared project with hooks and one fact."""
    place.ok("init", "--hooks", "--quiet")
    place.ok("remember", "the staging VPN is called corp-eu")
    return place


@pytest.mark.parametrize("words", [("remember", "x"), ("forget", "the staging VPN is called corp-eu"), ("repair",)])
def test_a_write_names_the_read_only_file_system_and_not_damage_or_owners(set_up: Place, words: tuple[str, ...]) -> None:
    ran = _frozen(set_up, *words)

    assert (ran.code, "read-only file system" in ran.err) == (1, True), ran
    assert "make the file system writable" in ran.err
    assert "graymatter doctor --repair" not in ran.err
    assert "owns" not in ran.err


def test_init_names_it_too_without_an_error_number(bare: Place) -> None:
    ran = _frozen(bare, "init")

    assert (ran.code, "read-only file system" in ran.err, "Errno" in ran.err) == (1, True, False), ran


def test_hooks_that_are_installed_there_count_as_installed(set_up: Place) -> None:
    status = json.loads(_frozen(set_up, "status", "--json").out)
    doctor = json.loads(_frozen(set_up, "doctor", "--json").out)

    assert (status["memory"], status["hooks"][0]["state"]) == ("on", "installed")
    assert [each["status"] for each in doctor["checks"] if each["name"] == "hooks"] == ["ok"]


def test_hooks_doctor_warns_that_saves_will_fail(set_up: Place) -> None:
    ran = _frozen(set_up, "hooks", "doctor", "--runs", "0", "--json")

    found = {each["name"]: each["status"] for each in map(json.loads, ran.out.splitlines())}
    assert (ran.code, found["store.read_only"]) == (0, "warn")


@pytest.mark.parametrize("verb", ["backup", "restore"])
def test_backup_and_restore_name_the_data_directory_and_no_made_up_name(set_up: Place, verb: str) -> None:
    set_up.ok("backup")
    ran = _frozen(set_up, verb, "--json")
    assert (ran.code, ran.data["error"]["where"]) == (1, str(set_up.data_dir)), ran
