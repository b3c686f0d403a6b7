"""What has the data directory's name and is none: every verb says what it is, none waits for it, none touches it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Place

WITHOUT_RIGHTS = """
import ctypes, sys
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
class Header(ctypes.Structure): _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
class Data(ctypes.Structure): _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]
head, data = Header(0x20080522, 0), (Data * 2)()
libc = ctypes.CDLL(None, use_errno=True)
assert libc.capget(ctypes.byref(head), data) == 0
for field in ("effective", "permitted", "inheritable"):
    setattr(data[0], field, getattr(data[0], field) & ~(1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH))
assert libc.capset(ctypes.byref(head), data) == 0
from gmhooks.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
THINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "file": (lambda path: path.write_text("mine"), "a file, not a directory"),
    "fifo": (os.mkfifo, "a FIFO, not a directory"),
    "link": (lambda path: path.symlink_to(path.parent), "a symbolic link, which is not followed"),
    "dangling link": (lambda path: path.symlink_to("/nowhere/at/all"), "which is not followed and leads nowhere"),
}
REFUSED = [
    ["init"],
    ["init", "--hooks", "--dry-run"],
    ["init", "--only", "codex"],
    ["remember", "x"],
    ["recall", "x"],
    ["context-sync"],
    ["pause"],
    ["config"],
    ["repair"],
    ["trust", "--yes"],
    ["restore"],
]


@pytest.mark.parametrize("thing", THINGS)
def test_every_verb_says_what_is_in_the_way_and_leaves_it_alone(bare: Place, thing: str) -> None:
    make, told = THINGS[thing]
    make(bare.data_dir)
    before = os.lstat(bare.data_dir)
    for words in REFUSED:
        ran = bare.run(*words)
        assert ran.code == 1, words
        assert ran.err.rstrip().endswith(f"{told}. Next: move it away, then graymatter init"), (words, ran.err)
        assert ran.err.startswith(f"graymatter: {bare.data_dir}: ")
    assert f"{bare.data_dir}: " in bare.ok("status").out
    assert f"{told}. Next: move it away" in bare.ok("status").out
    examined = bare.run("doctor")
    assert (examined.code, told in examined.out) == (1, True)
    assert told in bare.ok("uninstall").out
    after = os.lstat(bare.data_dir)
    assert (after.st_mode, after.st_ino, after.st_mtime_ns) == (before.st_mode, before.st_ino, before.st_mtime_ns)
    assert sorted(os.listdir(bare.project)) == [".graymatter"]


def test_a_directory_that_may_not_be_read_is_no_unprepared_project(place: Place) -> None:
    place.ok("remember", "Kept")
    place.data_dir.chmod(0)
    try:
        for words in (["init"], ["remember", "x"], ["recall", "x"], ["context-sync"], ["trust", "--yes"]):
            ran = place.python(WITHOUT_RIGHTS, *words)
            assert ran.returncode == 1
            told = "a directory that may not be read. Next: check who owns the files"
            assert ran.stderr == f"graymatter: {place.data_dir}: {told}\n"
        assert "may not be read" in place.python(WITHOUT_RIGHTS, "status").stdout
        assert "may not be read" in place.python(WITHOUT_RIGHTS, "uninstall").stdout
        assert place.python(WITHOUT_RIGHTS, "doctor").returncode == 1
    finally:
        place.data_dir.chmod(0o700)
    assert place.ok("list").out.count("\n") == 1
