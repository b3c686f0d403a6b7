"""Small file systems under a case's folder: full ones and read-only ones. They need root; elsewhere the case is not run."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.corpus.cases import MachineLacks

_FILLER = ".filler"


def full(folder: Path) -> None:
    """Put `folder` on a file system of its own that has no byte left."""
    _own_file_system(folder)
    block = b"\0" * 4096
    with open(folder / _FILLER, "wb", buffering=0) as filler, suppress(OSError):
        while filler.write(block) == len(block):
            pass


def read_only(folder: Path) -> None:
    """Make `folder` a mount that cannot be written to."""
    _own_file_system(folder)
    _mount("-o", "remount,ro", str(folder))


def relieve(folder: Path) -> None:
    """Give a full or read-only folder its room back, contents kept."""
    if os.path.ismount(folder):
        _mount("-o", "remount,rw", str(folder))
        (folder / _FILLER).unlink(missing_ok=True)


def undo_mounts(below: Path) -> None:
    """Unmount everything mounted below `below`."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in mounts:
        place = line.split(" ")[1]
        if place.startswith(f"{below}/"):
            subprocess.run(["umount", "-l", place], check=True)


def _own_file_system(folder: Path) -> None:
    kept = folder.with_name(folder.name + ".kept")
    shutil.copytree(folder, kept, symlinks=True)
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    _mount("-t", "tmpfs", "-o", f"size={max(size + (256 << 10), 1 << 20)},mode=0700", "tmpfs", str(folder))
    for entry in kept.iterdir():
        copy = shutil.copytree if entry.is_dir() else shutil.copy2
        copy(entry, folder / entry.name)
    shutil.rmtree(kept)


def _mount(*words: str) -> None:
    if os.geteuid() != 0:
        raise MachineLacks("needs root to mount a small file system")
    ran = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise MachineLacks(f"this machine does not let us mount: {ran.stderr.strip()}")
