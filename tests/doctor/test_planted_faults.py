"""Each test plants one fault in a healthy set-up: doctor names that one and nothing else."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gmhooks.doctor.catalogue import CHECKS
from tests.doctor.faults import EVENTS, FAULTS, PACKAGE_FAULTS, log
from tests.doctor.setup import Setup, bad
from tests.init.packed_copy import INTERPRETER, Copy


def test_there_are_enough_of_them_and_each_names_a_check() -> None:
    assert len(FAULTS) + len(PACKAGE_FAULTS) >= 25
    assert {check for check, _ in [*FAULTS.values(), *PACKAGE_FAULTS.values()]} <= set(CHECKS)


@pytest.mark.parametrize("name", FAULTS)
def test_exactly_the_planted_fault_is_found(healthy: Setup, name: str) -> None:
    check, plant = FAULTS[name]
    plant(healthy)
    found = healthy.doctor()
    assert bad(found) == [check], [each for each in found if each["status"] not in ("ok", "info")]
    assert all(each["hint"] for each in found if each["status"] in ("warn", "fail"))


@pytest.mark.parametrize("name", PACKAGE_FAULTS)
def test_exactly_the_planted_fault_of_the_installation_is_found(own: Setup, name: str) -> None:
    check, plant = PACKAGE_FAULTS[name]
    plant(own)
    found = own.doctor()
    assert bad(found) == [check], [each for each in found if each["status"] not in ("ok", "info")]


def test_invalid_settings_are_named_with_their_line(healthy: Setup) -> None:
    healthy.settings.write_text('{\n  "model": "opus",\n}\n')
    (fault,) = [each for each in healthy.doctor() if each["status"] == "fail"]
    assert f"{healthy.settings}, line 2" in fault["detail"]


def noted_by_the_client(machine: Setup, text: str) -> None:
    folder = machine.home / ".claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(machine.project)) / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(f"# Notes\n\n- {text}\n- something else\n")


@pytest.mark.parametrize(
    ("text", "off", "told"),
    [
        ("the staging VPN profile is called  corp-eu", False, 1),
        ("the staging VPN profile is called corp-us", False, 0),
        ("The staging VPN profile is called corp-eu", True, 0),
    ],
)
def test_facts_that_the_clients_own_memory_holds_too_are_told(healthy: Setup, text: str, off: bool, told: int) -> None:
    """F067."""
    noted_by_the_client(healthy, text)
    if off:
        healthy.edit(lambda body: body.update(autoMemoryEnabled=False))
    found = [each for each in healthy.doctor() if each["name"] == "client.auto_memory"]
    assert [each["status"] for each in found] == ["info"] * told
    assert all("holds 1 of the facts stored here too" in each["detail"] for each in found)


@pytest.fixture
def network_table(healthy: Setup, tmp_path: Path) -> Path:
    table = tmp_path / "mountinfo"
    root = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    table.write_text(root + f"40 22 0:40 / {healthy.home} rw,relatime shared:9 - nfs4 server:/export rw,vers=4.2\n")
    return table


def test_a_network_file_system_under_the_store_is_found(healthy: Setup, network_table: Path) -> None:
    """F124, F140."""
    assert bad(healthy.doctor_with(mounts=network_table)) == ["store.network_fs"]


@pytest.mark.parametrize(
    ("name", "body", "check"),
    [
        ("managed-settings.json", {"allowManagedHooksOnly": True}, "client.managed_only"),
        ("managed-settings.d/10-hooks.json", {"disableAllHooks": True}, "client.hooks_disabled"),
        ("managed-settings.json", {"env": {"CLAUDE_CODE_SAFE_MODE": "1"}}, "client.safe_mode"),
    ],
)
def test_what_the_administrator_rules_is_found(
    healthy: Setup, tmp_path: Path, name: str, body: dict[str, object], check: str
) -> None:
    folder = tmp_path / "managed"
    healthy.edit(lambda empty: empty.update(body), folder / name)
    assert bad(healthy.doctor_with(managed=folder)) == [check]


def test_the_first_file_with_a_value_rules(healthy: Setup) -> None:
    """Measured with the client: `false` in local settings wins over `true` in the user's."""
    healthy.edit(lambda body: body.update(disableAllHooks=True), healthy.home / ".claude/settings.json")
    assert bad(healthy.doctor()) == ["client.hooks_disabled"]
    healthy.edit(lambda body: body.update(disableAllHooks=False))
    assert bad(healthy.doctor()) == []


def test_a_project_cannot_start_safe_mode(healthy: Setup) -> None:
    """Measured with the client: only the environment and the user's settings can."""
    safe = {"CLAUDE_CODE_SAFE_MODE": "1"}
    healthy.edit(lambda body: body.update(env=safe))
    assert bad(healthy.doctor()) == []
    healthy.edit(lambda body: body.update(env=safe), healthy.home / ".claude/settings.json")
    assert bad(healthy.doctor()) == ["client.safe_mode"]


@pytest.fixture
def locked(healthy: Setup) -> Iterator[Setup]:
    fd = os.open(healthy.data, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    yield healthy
    os.close(fd)


def test_a_lock_that_stays_is_found(locked: Setup) -> None:
    assert bad(locked.doctor()) == ["store.busy"]


def test_a_program_named_by_a_cloned_project_is_never_run(healthy: Setup, tmp_path: Path) -> None:
    trap = tmp_path / "evil" / "gmhooks-hook"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\n: > {tmp_path}/was-run\n")
    trap.chmod(0o755)
    for event in EVENTS:
        healthy.entry(event, command=str(trap))
    assert bad(healthy.doctor("--runs", "1")) == ["hook.path"]
    assert not (tmp_path / "was-run").exists()


def test_the_portable_form_is_replayed_through_its_shell_line(site: Copy, tmp_path: Path) -> None:
    shared = Setup(site, tmp_path / "home", scope="project")
    found = shared.doctor("--runs", "1")
    assert bad(found) == []
    assert [each["status"] for each in found if each["name"] == "replay.answer"] == ["ok"]


def test_a_broken_hook_fails_the_replay(own: Setup) -> None:
    """F119: the files look right, and yet the hook answers nothing."""
    source = own.site.package / "hooks" / "prompt.py"
    source.write_text(
        source.read_text().replace(
            "def run(ctx: Context) -> bytes:\n", "def run(ctx: Context) -> bytes:\n    return b''\n"
        )
    )
    subprocess.run([sys.executable, "-c", _REBUILD, str(own.site.site)], check=True, timeout=120)
    found = own.doctor()
    assert bad(found) == ["replay.answer"]
    assert "UserPromptSubmit (local) answered nothing" in next(
        each["detail"] for each in found if each["status"] == "fail"
    )


_REBUILD = f"""
import subprocess, sys
code = "import sys; sys.path.insert(0, sys.argv[1]); from gmhooks.init.pack import build; build()"
subprocess.run([{INTERPRETER!r}, "-I", "-c", code, sys.argv[1]], check=True)
"""


def test_an_event_that_stopped_firing_is_named_with_its_last_time(healthy: Setup) -> None:
    """F121."""
    log(healthy, "saved")
    healthy.edit(lambda body: body["hooks"].pop("UserPromptSubmit"))
    found = {each["name"]: each["detail"] for each in healthy.doctor()}
    assert found["hook.registered"] == "no entry of ours for UserPromptSubmit"
    assert found["log.last_seen"] == "user-prompt 2199-01-01T00:00:00Z"
