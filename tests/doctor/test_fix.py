"""`--fix` repairs what is ours, says what it did, and leaves everything else as it is."""

from __future__ import annotations

import json

import pytest

from tests.doctor.faults import FAULTS, PACKAGE_FAULTS, PROMPT
from tests.doctor.setup import Setup, bad
from tests.doctor.test_healthy import snapshot

FIX = ("--fix", "--runs", "0")
REPAIRABLE = (
    "old path",
    "entry twice in one file",
    "launcher missing",
    "launcher is a link",
    "launcher not executable",
    "launcher open to others",
    "launcher with a fourth line",
    "dead interpreter",
    "version manager's shim",
    "another user's directory",
)
NOT_OURS = (
    "torn settings",
    "all hooks disabled",
    "untrusted folder",
    "settings written back without our hooks",
    "one event missing",
    "milliseconds",
    "console script",
    "plugin and settings",
    "store untrusted",
    "store truncated",
    "data directory open to others",
    "saves that wait",
    "paused",
    "misspelt setting",
)


@pytest.mark.parametrize("name", REPAIRABLE)
def test_a_fault_of_ours_is_repaired_and_the_repair_is_told(healthy: Setup, name: str) -> None:
    FAULTS[name][1](healthy)
    found = healthy.doctor(*FIX, expected=[0])
    assert bad(found) == []
    assert [each["status"] for each in found if each["name"] == "fix"] == ["info"]
    assert bad(healthy.doctor()) == []


@pytest.mark.parametrize("name", ["stale bytecode", "stale pack", "damaged pack"])
def test_bytecode_and_pack_are_built_anew(own: Setup, name: str) -> None:
    PACKAGE_FAULTS[name][1](own)
    assert bad(own.doctor(*FIX, expected=[0])) == []


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_ours_to_repair_stays_byte_for_byte(healthy: Setup, name: str) -> None:
    check, plant = FAULTS[name]
    plant(healthy)
    before = snapshot(healthy.home)
    assert bad(healthy.doctor(*FIX)) == [check]
    assert snapshot(healthy.home) == before


def test_repair_of_paths_keeps_every_other_byte(healthy: Setup) -> None:
    healthy.edit(lambda body: body.update(model="opus", permissions={"allow": ["Bash(ls:*)"]}))
    wanted = healthy.settings.read_text()
    FAULTS["old path"][1](healthy)
    healthy.doctor(*FIX, expected=[0])
    assert healthy.settings.read_text() == wanted


def test_a_healthy_set_up_is_left_alone(healthy: Setup) -> None:
    before = snapshot(healthy.home, healthy.site.site)
    assert [each for each in healthy.doctor(*FIX, expected=[0]) if each["name"] == "fix"] == []
    assert snapshot(healthy.home, healthy.site.site) == before


def test_hand_edited_entries_are_kept(healthy: Setup) -> None:
    healthy.entry(PROMPT, timeout=3)
    FAULTS["launcher missing"][1](healthy)
    healthy.doctor(*FIX, expected=[0])
    assert json.loads(healthy.settings.read_text())["hooks"][PROMPT][0]["hooks"][0]["timeout"] == 3
