"""Printed commands are found: by name where PATH leads to this program, else by its full path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gmhooks.cli import program
from gmhooks.cli.errors import Fault
from tests.cli.program import Place


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This program, started from a folder that is not on PATH."""
    file = tmp_path / "my env" / "graymatter"
    file.parent.mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(file)])
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.setenv("HOME", str(tmp_path))
    return file


def test_commands_get_the_full_path_and_other_words_stay(own: Path) -> None:
    assert program.runnable("graymatter trust shows it; then run graymatter init again") == (
        f"'{own}' trust shows it; then run '{own}' init again"
    )
    for text in ("the graymatter server", "/opt/graymatter init", "my-graymatter list", "graymatter initial"):
        assert program.runnable(text) == text
    assert Fault("x", "no store", then="graymatter init").line() == f"no store. Next: '{own}' init"


@pytest.mark.parametrize("link", [False, True])
def test_a_program_on_path_is_called_by_name(own: Path, monkeypatch: pytest.MonkeyPatch, link: bool) -> None:
    folder = own.parent
    if link:
        folder = own.parents[1] / "bin"
        folder.mkdir()
        (folder / "graymatter").symlink_to(own)
    monkeypatch.setenv("PATH", str(folder))
    assert program.runnable("graymatter init") == "graymatter init"
    assert program.path_hint() is None


def test_another_program_of_that_name_is_not_taken_for_this_one(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = own.parents[1] / "other" / "graymatter"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert program.runnable("graymatter init") == f"'{own}' init"


def test_the_way_onto_path_works_as_printed(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = program.path_hint()
    assert hint is not None
    assert os.system(hint.partition(": ")[2]) == 0
    assert (own.parents[1] / ".local/bin/graymatter").resolve() == own
    monkeypatch.setenv("PATH", str(own.parents[1] / ".local/bin"))
    assert program.path_hint() is None


def test_init_ends_with_commands_that_work_as_printed(bare: Place) -> None:
    folder = bare.home / "env"
    folder.mkdir()
    own = folder / "graymatter"
    own.write_text(f"#!{sys.executable}\nimport sys\nfrom gmhooks.cli.main import main\nsys.exit(main())\n")
    own.chmod(0o755)
    said = bare.raw([str(own), "init"]).stdout.splitlines()
    assert said[-2] == f'Next: {own} remember "Integration tests need the staging VPN"'
    assert said[-1].startswith(f"To call it graymatter from anywhere: mkdir -p ~/.local/bin && ln -s {own} ")
    assert bare.raw(["/bin/sh", "-c", said[-2].removeprefix("Next: ")]).returncode == 0
