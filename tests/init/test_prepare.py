"""Preparing a project: whole, private, trusted; and never trusted when the store came from elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gmhooks.hooks.route import prepared
from gmhooks.init.prepare import Preparation, prepare_project, route_here
from gmhooks.memory.errors import NoDirectory
from gmhooks.store.create import trusted


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project" / ".graymatter"), str(tmp_path / "home" / ".local" / "share" / "gmhooks")


def test_first_time_makes_store_and_registry_with_their_parents(folders: tuple[str, str]) -> None:
    assert prepare_project(*folders) == Preparation("created", changed=True)
    assert prepared(folders[0])
    assert trusted(*folders)
    assert Path(folders[1]).stat().st_mode & 0o777 == 0o700


def test_second_time_changes_nothing(folders: tuple[str, str]) -> None:
    prepare_project(*folders)
    assert prepare_project(*folders) == Preparation("already_prepared", changed=False)


def test_missing_parts_are_added(folders: tuple[str, str]) -> None:
    prepare_project(*folders)
    (Path(folders[0]) / "hooks.conf").unlink()
    assert prepare_project(*folders) == Preparation("created", changed=True)


def test_store_from_elsewhere_stays_untrusted(folders: tuple[str, str], tmp_path: Path) -> None:
    prepare_project(*folders)
    moved = str(tmp_path / "clone")
    shutil.copytree(folders[0], moved)
    assert prepare_project(moved, folders[1]).status == "untrusted"
    assert not trusted(moved, folders[1])


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("ready", [False, True])
def test_a_link_is_no_data_directory_and_what_it_leads_to_stays(
    folders: tuple[str, str], tmp_path: Path, dry_run: bool, ready: bool
) -> None:
    target, link = Path(folders[0]), tmp_path / "clone"
    if ready:
        prepare_project(*folders)
    else:
        target.mkdir(0o755)
    link.symlink_to(target)
    held = sorted(target.iterdir()), target.stat().st_mode
    with pytest.raises(NoDirectory, match="symbolic link"):
        prepare_project(str(link), folders[1], dry_run=dry_run)
    assert (sorted(target.iterdir()), target.stat().st_mode) == held


def test_dry_run_says_what_would_happen_and_does_nothing(folders: tuple[str, str], tmp_path: Path) -> None:
    assert prepare_project(*folders, dry_run=True).status == "would_create"
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "project"]
    prepare_project(*folders)
    assert prepare_project(*folders, dry_run=True) == Preparation("already_prepared", changed=False)


def test_route_here_is_this_very_directory(tmp_path: Path) -> None:
    route = route_here(str(tmp_path), None)
    assert (route.root, route.data_dir) == (str(tmp_path.resolve()), f"{tmp_path.resolve()}/.graymatter")
    assert route_here("/", None).data_dir == "/.graymatter"
    assert route_here(str(tmp_path), str(tmp_path / "other")).data_dir == str(tmp_path / "other")
