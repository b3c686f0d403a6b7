"""On a healthy set-up doctor has nothing to say against it, and it changes nothing anywhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.doctor.setup import Setup, bad

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
    ran = healthy.inside(
        "import os; os.chdir('../other')\n"
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from gmhooks.cli.main import main; sys.exit(main(sys.argv[1:]))",
        "hooks", "doctor", "--json", "--runs", "0",
    )  # fmt: skip
    assert '"store.missing", "status": "info"' in ran.stdout
    assert list(other.iterdir()) == []
    assert bad(healthy.doctor()) == []
