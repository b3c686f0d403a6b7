"""The command that a finding's remedy names is run as it is printed: the finding is gone then, and no other came."""

from __future__ import annotations

import re
import shlex

import pytest

from gmhooks.doctor.catalogue import CHECKS
from tests.doctor.faults import FAULTS, PACKAGE_FAULTS
from tests.doctor.setup import RUN, Setup, bad

_QUOTED = re.compile(r"`(graymatter [^`]+)`(, then `(graymatter [^`]+)`)?")
_ANSWERED = {"graymatter trust": "graymatter trust --yes"}
"""What asks a person, and how a script answers."""
BY_HAND = {
    "plugin and settings": "which of the two stays is the user's choice",
    "console script": "the entry goes first",
    "saves that wait": "the command needs a fact to save",
    "save that cannot be read": "the user decides on the file",
    "misspelt setting": "the line is the user's",
    "home is a project": "nobody but the user knows whether it was meant",
    "hooks died at the store": "a hook starts the check itself",
    "settings written back without our hooks": "sessions that run are closed first",
    "missing shim": "the installation is broken",
    "LMDB of another Python": "the installation is broken",
}
"""Faults whose remedy names a command that alone does not cure, and why."""


def remedy(check: str) -> list[str]:
    """The commands that the remedy of a check names first; none when there is only something to do by hand."""
    text = CHECKS[check][1]
    if text.startswith("graymatter "):
        return [text.partition(";")[0]]
    found = _QUOTED.search(text)
    return [each for each in (found.group(1), found.group(3)) if each] if found else []


def cured(machine: Setup, commands: list[str]) -> list[str]:
    """What is still wrong after the commands, which must end well."""
    for command in commands:
        words = shlex.split(_ANSWERED.get(command, command))[1:]
        ran = machine.inside(RUN, *words, check=False)
        assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
    return bad(machine.doctor())


def curable(faults: dict[str, tuple[str, object]]) -> list[str]:
    return [name for name, (check, _) in faults.items() if remedy(check) and name not in BY_HAND]


@pytest.mark.parametrize("name", curable({**FAULTS}))
def test_the_printed_command_cures(healthy: Setup, name: str) -> None:
    check, plant = FAULTS[name]
    plant(healthy)
    assert cured(healthy, remedy(check)) == []


@pytest.mark.parametrize("name", curable({**PACKAGE_FAULTS}))
def test_the_printed_command_cures_the_installation(own: Setup, name: str) -> None:
    check, plant = PACKAGE_FAULTS[name]
    plant(own)
    assert cured(own, remedy(check)) == []


def test_most_remedies_are_commands() -> None:
    assert len(curable({**FAULTS, **PACKAGE_FAULTS})) >= 25
    assert set(BY_HAND) <= {*FAULTS, *PACKAGE_FAULTS}
