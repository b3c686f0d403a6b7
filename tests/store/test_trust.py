"""Only what the user's registry names is trusted, by real path and id."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.store.create import prepare, store_id, trusted
from gmhooks.store.trust import real_path, register, registered, withdraw


def test_preparing_trusts_and_withdrawing_ends_it(folder: str, user_dir: str) -> None:
    assert registered(user_dir, folder) == store_id(folder)
    assert trusted(folder, user_dir)
    assert withdraw(user_dir, folder)
    assert not trusted(folder, user_dir)
    assert not withdraw(user_dir, folder)


def test_a_store_swapped_for_another_is_not_trusted(folder: str, user_dir: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    prepare(other, str(tmp_path / "their user dir"))
    os.replace(f"{other}/gray.mdb", f"{folder}/gray.mdb")
    assert not trusted(folder, user_dir)


def test_preparing_again_keeps_the_store_and_does_not_grant_trust(folder: str, user_dir: str) -> None:
    before = store_id(folder)
    withdraw(user_dir, folder)
    assert prepare(folder, user_dir) is False
    assert store_id(folder) == before
    assert not trusted(folder, user_dir)


def test_one_project_has_one_entry_through_every_link(folder: str, user_dir: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert registered(user_dir, str(tmp_path / "link")) == store_id(folder)


def test_real_paths_agree_with_the_standard_library(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "up").symlink_to("a/b/..")
    (tmp_path / "abs").symlink_to(tmp_path / "up" / "b")
    for name in ("a/b", "up", "up/b", "abs", "abs/../b", "a//./b/", "missing/x", "up/../a"):
        path = f"{tmp_path}/{name}"
        assert real_path(path) == os.path.realpath(path)


def test_endless_links_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        real_path(str(tmp_path / "loop"))


@pytest.mark.parametrize("content", [b"", b"\n", b"abc", b"abc\n/else/where", b"\xff\xfe\n/x"])
def test_a_spoiled_entry_trusts_nothing(folder: str, user_dir: str, content: bytes) -> None:
    entry = next(Path(user_dir, "trust").iterdir())
    entry.write_bytes(content)
    assert registered(user_dir, folder) is None
    register(user_dir, folder, "00")
    assert registered(user_dir, folder) == "00"


def test_trust_is_kept_where_no_parent_of_the_user_dir_exists_yet(folder: str, tmp_path: Path) -> None:
    deep = str(tmp_path / "home" / ".local" / "share" / "gmhooks")
    register(deep, folder, "00")
    assert registered(deep, folder) == "00"
    assert os.stat(deep).st_mode & 0o777 == 0o700
