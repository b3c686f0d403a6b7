"""The spool holds regular files of ours; whatever else lies there can neither block nor speak."""

from __future__ import annotations

import os
from pathlib import Path

from gmhooks.store.ids import new_id
from gmhooks.store.records import USER
from gmhooks.store.spool import FOLDER, Spooled, drop, pending, put
from gmhooks.store.writer import run


def _spooled(text: str) -> Spooled:
    return Spooled(new_id(5, b""), 5_000, "app", text, USER, 2)


def test_a_record_comes_back_whole_and_leaves_when_dropped(folder: str) -> None:
    put(folder, _spooled("déjà 日本語"))
    (found,) = pending(folder)
    assert (found.created_us, found.agent_id, found.text, found.source, found.confidence) == (
        5_000, "app", "déjà 日本語", USER, 2,
    )  # fmt: skip
    drop(folder, found)
    assert pending(folder) == []


def test_what_is_no_regular_file_is_passed_over(folder: str, tmp_path: Path) -> None:
    put(folder, _spooled("kept"))
    spool = Path(folder, FOLDER)
    os.mkfifo(spool / "FIFO.fact")
    (spool / "DIR.fact").mkdir()
    (spool / "LINK.fact").symlink_to(tmp_path / "elsewhere")
    assert [item.text for item in pending(folder)] == ["kept"]
    run(folder, lambda store: None)
    assert sorted(os.listdir(spool)) == ["DIR.fact", "FIFO.fact", "LINK.fact"]
