"""Peer cases, area N: doctor. The others are in `tests/cli/test_doctor.py` and `tests/doctor`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gmhooks.doctor import standard
from gmhooks.doctor.standard import Check, examine
from gmhooks.hooks.route import Route
from gmhooks.init.clients.client import Where
from gmhooks.memory.api import Memory
from gmhooks.store.errors import StoreDamaged

_NOW_S = 1_800_000_000.0


def looked(memory: Memory) -> dict[str, Check]:
    """The checks of the project that this memory belongs to."""
    root = os.path.dirname(memory.data_dir)
    where = Where(root, str(memory.user_dir), os.path.dirname(root))
    return {check.name: check for check in examine(Route(root, str(memory.data_dir), "test"), where, _NOW_S)}


@pytest.mark.parametrize(("number", "text"), [(13, "Permission denied"), (5, "Input/output error")])
def test_n08_a_data_directory_that_cannot_be_looked_at_fails(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, number: int, text: str
) -> None:
    real = os.lstat

    def lstat(path: str, *rest: object, **more: object) -> os.stat_result:
        if path == str(memory.data_dir):
            raise OSError(number, text, path)
        return real(path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(standard.os, "lstat", lstat)
    check = looked(memory)["data_dir"]
    assert (check.status, text in check.detail, bool(check.hint)) == ("fail", True, True)


def test_n10_a_discovery_file_of_a_daemon_means_nothing_and_stays(memory: Memory) -> None:
    """There is no daemon: the store is always read directly."""
    memory.remember("app", "one fact")
    file = Path(memory.data_dir) / "daemon.json"
    file.write_text('{"pid": 1}')
    held = file.stat().st_mtime_ns
    assert looked(memory)["store"].status == "ok"
    assert (file.read_text(), file.stat().st_mtime_ns) == ('{"pid": 1}', held)


def test_n11_a_store_that_cannot_be_counted_fails_and_is_not_called_empty(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("app", "one fact")

    def damaged(*_: object, **__: object) -> None:
        raise StoreDamaged("a page contradicts itself")

    monkeypatch.setattr(Memory, "overview", damaged)
    found = looked(memory)
    assert (found["store"].status, found["store"].hint) == ("fail", "graymatter doctor --repair")
    assert "0 facts" not in found["store"].detail
    assert "idle" not in found
