"""`repair`, `backup` and `restore`, seen from outside."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.program import Place


def _texts(place: Place) -> list[str]:
    return [fact["text"] for fact in place.ok("list", "--json").data["facts"]]


def _spoil(place: Place, text: str) -> bytes:
    """Change one letter of a stored fact behind the program's back."""
    path = place.data_dir / "gray.mdb"
    data = path.read_bytes()
    spoiled = data.replace(text.encode(), text.swapcase().encode())
    assert spoiled != data
    path.write_bytes(spoiled)
    return spoiled


def test_repair_of_a_sound_store_says_so_and_changes_nothing(place: Place) -> None:
    place.ok("remember", "Deploys run on Fridays")
    before = (place.data_dir / "gray.mdb").stat().st_ino
    assert place.ok("repair").out == "The store is sound.\n"
    assert place.ok("repair", "--json").data["status"] == "sound"
    assert (place.data_dir / "gray.mdb").stat().st_ino == before


def test_repair_keeps_what_is_readable_and_the_damaged_file(place: Place) -> None:
    place.ok("remember", "Deploys run on Fridays")
    place.ok("remember", "The staging VPN is needed")
    spoiled = _spoil(place, "Deploys run on Fridays")
    done = place.ok("repair", "--json").data
    assert (done["status"], done["facts"], done["lost"]) == ("repaired", 1, 1)
    assert Path(done["kept"]).read_bytes() == spoiled
    assert _texts(place) == ["The staging VPN is needed"]
    assert place.ok("repair").out == "The store is sound.\n"


def test_repair_makes_files_private_again(place: Place) -> None:
    os.chmod(place.data_dir / "gray.mdb", 0o666)
    assert str(place.data_dir / "gray.mdb") in place.ok("repair").out
    assert (place.data_dir / "gray.mdb").stat().st_mode & 0o777 == 0o600


def test_repair_needs_a_prepared_project(bare: Place) -> None:
    ran = bare.run("repair")
    assert (ran.code, ran.out) == (1, "")
    assert "graymatter init" in ran.err


def test_a_damaged_store_names_repair_as_the_next_step(place: Place) -> None:
    place.ok("remember", "Deploys run on Fridays")
    os.truncate(place.data_dir / "gray.mdb", 8192)
    assert "graymatter doctor --repair" in place.run("recall", "deploys").err
    place.ok("repair")


def test_restore_brings_the_newest_backup_back(place: Place) -> None:
    place.ok("remember", "Deploys run on Fridays")
    made = place.ok("backup", "--json").data
    assert made["facts"] == 1
    place.ok("remember", "Written after the backup")
    assert place.ok("backup", "--list").out == f"{made['path']}\n"
    done = place.ok("restore", "--json").data
    assert (done["source"], done["facts"]) == (made["path"], 1)
    assert _texts(place) == ["Deploys run on Fridays"]
    assert place.ok("restore", made["path"]).out.startswith("Restored 1 fact from ")


def test_restore_without_a_backup_says_how_to_make_one(place: Place) -> None:
    ran = place.run("restore")
    assert (ran.code, ran.out) == (1, "")
    assert "graymatter backup" in ran.err


def test_restore_of_a_file_that_is_not_there_says_how_to_list_backups(place: Place) -> None:
    ran = place.run("restore", "nowhere")
    assert (ran.code, ran.out) == (1, "")
    assert "there is no such backup" in ran.err
    assert "graymatter backup --list" in ran.err


def test_restore_refuses_a_copy_of_another_store(place: Place, tmp_path: Path) -> None:
    other = Place(place.home, tmp_path / "home" / "other")
    other.project.mkdir()
    other.ok("init", "--quiet")
    other.ok("remember", "A planted fact")
    ran = place.run("restore", other.ok("backup", "--json").data["path"])
    assert (ran.code, _texts(place)) == (1, [])
