"""On a healthy set-up doctor has nothing to say against it, and it changes nothing anywhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gmhooks.doctor.timing import PARTS
from tests.doctor.setup import RUN, Setup, bad
from tests.init.packed_copy import PACKAGE

State = tuple[int, int, int, bytes | str]


def snapshot(*folders: Path) -> dict[str, State]:
    """Mode, size, time of change and content of everything below."""
    found: dict[str, State] = {}
    for folder in folders:
        for path in [folder, *sorted(folder.rglob("*"))]:
            held = os.lstat(path)
            content = (
                path.read_bytes() if stat.S_ISREG(held.st_mode) else os.readlink(path) if path.is_symlink() else ""
            )
            found[str(path)] = (held.st_mode, held.st_size, held.st_mtime_ns, content)
    return found


def test_a_healthy_set_up_reports_nothing(healthy: Setup) -> None:
    found = healthy.doctor("--runs", "1", expected=[0])
    assert [each for each in found if each["status"] not in ("ok", "info")] == []


def test_it_changes_no_byte_and_no_time_of_project_home_and_package(healthy: Setup) -> None:
    before = snapshot(healthy.home, healthy.site.site)
    healthy.doctor("--runs", "2", "--delivery")
    assert snapshot(healthy.home, healthy.site.site) == before


def test_an_uninitialised_project_is_no_failure_and_stays_so(healthy: Setup) -> None:
    """K19."""
    other = healthy.home / "other"
    other.mkdir()
    found = healthy.doctor(cwd=other, expected=[0])
    assert [each["status"] for each in found if each["name"] == "store.missing"] == ["info"]
    assert bad(found) == []
    assert list(other.iterdir()) == []


def test_the_home_directory_is_named_as_no_project_and_stays_so(healthy: Setup) -> None:
    before = snapshot(healthy.home)
    assert bad(healthy.doctor(cwd=healthy.home, expected=[0])) == ["project.root"]
    assert snapshot(healthy.home) == before


def test_the_cost_is_told_with_its_parts(healthy: Setup) -> None:
    (speed,) = [each for each in healthy.doctor("--runs", "5") if each["name"] == "replay.speed"]
    assert set(speed["numbers"]) == {"p50", "p99", "bare_ms", "runs", *PARTS}
    assert speed["numbers"]["p99"] >= speed["numbers"]["p50"] > 0
    assert "slowest of 5" in speed["detail"]


def test_a_person_gets_one_line_a_finding_and_the_remedy(healthy: Setup) -> None:
    (healthy.data / "off").touch()
    told = healthy.inside(RUN, "hooks", "doctor", "--runs", "0").stdout
    assert "ok    hook.registered: all four events call us (local)\n" in told
    assert f"WARN  switch.paused: {healthy.data}/off is there\n      Next: graymatter resume\n" in told


@pytest.mark.parametrize(
    "words", [("doctor", "--force"), ("doctor", "--runs", "-1"), ("install", "--fix"), ("doctor", "user-prompt")]
)
def test_options_of_other_actions_are_refused(healthy: Setup, words: tuple[str, ...]) -> None:
    assert healthy.inside(RUN, "hooks", *words, check=False).returncode == 2


def test_one_scope_alone_can_be_examined(healthy: Setup) -> None:
    found = healthy.doctor("--runs", "0", "--scope", "user", expected=[0])
    assert bad(found) == ["hook.registered"]
    assert bad(healthy.doctor("--runs", "0", "--scope", "local", expected=[0])) == []


def test_sources_run_in_place_are_told(healthy: Setup, tmp_path: Path) -> None:
    """The checkout these tests come from has no LMDB beside it, as an editable installation has none."""
    assert not (PACKAGE.parent / "lmdb").exists()
    launcher = healthy.launcher.read_text()
    shim = launcher.split("'")[5]
    healthy.launcher.write_text(launcher.replace(shim, str(PACKAGE / "hooks" / "shim.py")))
    assert {"package.editable", "launcher.shim"} <= set(bad(healthy.doctor()))
