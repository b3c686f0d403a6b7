"""A store on a network file system is named when it is made; it cannot be led elsewhere by a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.cli.main import main
from gmhooks.doctor import mounts
from tests.cli.program import Place


def test_f124_f140_init_names_a_network_file_system_and_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 0:21 / {tmp_path} rw,relatime shared:1 - nfs4 server:/export rw\n")
    monkeypatch.setattr(mounts, "TABLE", str(table))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "app").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "home" / "app")
    assert main(["init", "--store-only"]) == 0
    said = capsys.readouterr().err
    assert "lies on nfs4" in said
    assert "local disk" in said


def test_a_link_in_place_of_the_data_directory_is_not_followed(place: Place) -> None:
    place.ok("remember", "Deploys run on Fridays")
    moved = place.home / "elsewhere"
    place.data_dir.rename(moved)
    os.symlink(moved, place.data_dir)
    assert (place.run("list").code, place.run("remember", "Through a link").code) == (1, 1)
