"""What people are told where nothing can be written: the cause, and a step that helps."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.program import Place, Ran

_FREEZE = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1"'


def _frozen(place: Place, *words: str) -> Ran:
    """Run `graymatter WORDS` while the project lies on a read-only file system."""
    return _run_frozen(place, sys.executable, "-m", "gmhooks", *words)


def _run_frozen(place: Place, *command: str) -> Ran:
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", f'{_FREEZE} || exit 99; shift; exec "$@"', "sh", str(place.project), *command],
        capture_output=True, text=True, env={**place.env(), "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}, timeout=120,
        check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def frozen(place: Place) -> Place:
    """A prepared project with hooks and one fact."""
    place.ok("init", "--hooks", "--quiet")
    place.ok("remember", "the staging VPN is called corp-eu")
    _skip_unless_possible(place)
    return place


def _skip_unless_possible(place: Place) -> None:
    try:
        able = _run_frozen(place, "true").code == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("this machine lets nobody mount in a name space of his own")


@pytest.mark.parametrize("words", [("remember", "x"), ("forget", "the staging VPN is called corp-eu"), ("repair",)])
def test_a_write_names_the_read_only_file_system_and_not_damage_or_owners(frozen: Place, words: tuple[str, ...]) -> None:
    ran = _frozen(frozen, *words)

    assert (ran.code, "read-only file system" in ran.err) == (1, True), ran
    assert "make the file system writable" in ran.err
    assert "graymatter doctor --repair" not in ran.err
    assert "owns" not in ran.err


def test_init_names_it_too_without_an_error_number(bare: Place) -> None:
    _skip_unless_possible(bare)

    ran = _frozen(bare, "init")

    assert (ran.code, "read-only file system" in ran.err, "Errno" in ran.err) == (1, True, False), ran


def test_hooks_that_are_installed_there_count_as_installed(frozen: Place) -> None:
    status = json.loads(_frozen(frozen, "status", "--json").out)
    doctor = json.loads(_frozen(frozen, "doctor", "--json").out)

    assert (status["memory"], status["hooks"][0]["state"]) == ("on", "installed")
    assert [each["status"] for each in doctor["checks"] if each["name"] == "hooks"] == ["ok"]


def test_hooks_doctor_warns_that_saves_will_fail(frozen: Place) -> None:
    ran = _frozen(frozen, "hooks", "doctor", "--runs", "0", "--json")

    found = {each["name"]: each["status"] for each in map(json.loads, ran.out.splitlines())}
    assert (ran.code, found["store.read_only"]) == (0, "warn")


@pytest.mark.parametrize("verb", ["backup", "restore"])
def test_backup_and_restore_name_the_data_directory_and_no_made_up_name(frozen: Place, verb: str) -> None:
    frozen.ok("backup")
    ran = _frozen(frozen, verb, "--json")
    assert (ran.code, ran.data["error"]["where"]) == (1, str(frozen.data_dir)), ran
