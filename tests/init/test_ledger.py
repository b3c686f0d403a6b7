"""What we wrote is remembered per file; a record that cannot be read counts as none."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gmhooks.init.ledger import Record, Trace, back_up, backup_path, digest, forget, listed, load, save

RECORD = Record("/p/settings.json", digest(b"x"), ("ab",), Trace({"/hooks": "{ }"}, None, True), ("/p",))


def test_a_record_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    save(str(tmp_path / "own"), RECORD)
    assert load(str(tmp_path / "own"), RECORD.path) == RECORD
    assert listed(str(tmp_path / "own")) == [RECORD]
    assert load(str(tmp_path / "own"), "/p/other") is None
    assert stat.S_IMODE((tmp_path / "own" / "ledger").stat().st_mode) == 0o700


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 9}', '{"version": 1, "trace": {"x": 1}}'])
def test_a_record_that_cannot_be_read_counts_as_none(tmp_path: Path, text: str) -> None:
    save(str(tmp_path), RECORD)
    (kept,) = (tmp_path / "ledger").iterdir()
    kept.write_text(text)
    assert load(str(tmp_path), RECORD.path) is None
    assert listed(str(tmp_path)) == []


def test_backups_are_private_named_by_content_and_few(tmp_path: Path) -> None:
    target = str(tmp_path / "settings.json")
    paths = [back_up(str(tmp_path / "own"), target, b"%d" % number) for number in range(8)]
    other = back_up(str(tmp_path / "own"), str(tmp_path / "x" / "settings.json"), b"0")
    left = {str(each) for each in (tmp_path / "own" / "backups").iterdir()}
    assert len(left) == 6
    assert {paths[-1], other} <= left
    assert Path(paths[-1]).read_bytes() == b"7"
    assert stat.S_IMODE(Path(paths[-1]).stat().st_mode) == 0o600


def test_forgetting_drops_the_record_and_the_backup_that_says_nothing_new(tmp_path: Path) -> None:
    target, own = tmp_path / "settings.json", str(tmp_path / "own")
    target.write_bytes(b"old")
    save(own, Record(str(target), digest(b"new")))
    same, different = back_up(own, str(target), b"old"), back_up(own, str(target), b"older")
    forget(own, str(target))
    assert load(own, str(target)) is None
    assert not Path(same).exists()
    assert different == backup_path(own, str(target), b"older")
    assert Path(different).read_bytes() == b"older"
