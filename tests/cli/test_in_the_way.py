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


SPARE_THINGS: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "directory": Path.mkdir,
    "link": lambda path: path.symlink_to("/dev/full"),
}
READING = {
    "hooks.log": ["status", "log", "hooks doctor --runs 0"],
    "access.log": ["status", "agents", "export", "doctor --health"],
    "hooks.conf": ["status", "hooks doctor --runs 0"],
    "off": ["status"],
}
WRITING = {
    "hooks.log": "forget --purge Kept",
    "access.log": "consolidate",
    "hooks.conf": "config set top_k 4",
    "backups": "backup",
}


@pytest.mark.parametrize("thing", SPARE_THINGS)
@pytest.mark.parametrize("name", [*READING, "backups"])
def test_no_verb_waits_for_or_dies_at_what_took_the_place_of_a_file_beside_the_store(
    place: Place, name: str, thing: str
) -> None:
    place.ok("remember", "Kept")
    taken = place.data_dir / name
    taken.unlink(missing_ok=True)
    SPARE_THINGS[thing](taken)
    for words in READING.get(name, []):
        assert place.run(*words.split()).code == 0, words
    if name in WRITING:
        ran = place.run(*WRITING[name].split())
        assert ran.code == 0 or (ran.code == 1 and str(taken) in ran.err and "move it away" in ran.err), ran
    assert os.path.lexists(taken)


@pytest.mark.parametrize("name", ["gray.mdb", "spool"])
def test_what_a_clone_put_in_the_place_of_the_store_is_named_by_init(bare: Place, name: str) -> None:
    bare.data_dir.mkdir(mode=0o700)
    os.mkfifo(bare.data_dir / name)
    ran = bare.run("init")
    assert ran.code == 1
    assert f"{bare.data_dir / name}: not a " in ran.err
    assert ran.err.endswith("of its own. Next: move it away, then graymatter init\n")
    assert os.listdir(bare.data_dir) == [name]


def test_doctor_does_not_wait_for_an_instruction_file_that_is_none(place: Place) -> None:
    (place.project / "AGENTS.md").write_text("ours\n")
    os.mkfifo(place.project / "CLAUDE.md")
    place.ok("init", "--only", "codex")
    (place.project / "CLAUDE.md").unlink()
    place.ok("init", "--only", "claudecode")
    os.mkfifo(place.project / "CLAUDE.md")
    assert "CLAUDE.md: unreadable" in place.run("doctor").out
