"""Bytecode and pack are built once, and again whenever anything of theirs is not as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.init import bytecode
from gmhooks.init.bytecode import ready
from gmhooks.init.pack import pack_path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "gmhooks"
    for name in ("hooks/shim.py", "store/env.py", "init/pack.py", "init/hot.txt"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("")
    return made


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    done: list[Path] = []

    def build(package: Path) -> Path:
        done.append(package)
        target = pack_path(package)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(b"pack")
        return target

    monkeypatch.setattr(bytecode, "build", build)
    return done


def edited_in_place(package: Path) -> None:
    source = package / "store" / "env.py"
    held = source.stat()
    source.write_text("#")
    os.utime(source, ns=(held.st_atime_ns, held.st_mtime_ns))


CHANGES: list[Callable[[Path], object]] = [
    edited_in_place,
    lambda package: (package / "store" / "new.py").touch(),
    lambda package: os.utime(package / "hooks" / "shim.py", (1, 1)),
    lambda package: (package / "init" / "hot.txt").write_text("a:b user-prompt"),
    lambda package: (package / "init" / "pack.py").write_text("#"),
    lambda package: pack_path(package).write_bytes(b"damaged"),
    lambda package: pack_path(package).unlink(),
    lambda package: pack_path(package).with_suffix(".built").unlink(),
    lambda package: pack_path(package).with_name(pack_path(package).name.replace("hot", "env", 1)[:-4] + "pyc").touch(),
]


def test_a_second_time_builds_nothing(package: Path, builds: list[Path]) -> None:
    assert (ready(package), ready(package)) == (True, True)
    assert builds == [package]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_not_as_it_was_is_built_again(
    package: Path, builds: list[Path], change: Callable[[Path], object]
) -> None:
    ready(package)
    change(package)
    assert ready(package)
    assert len(builds) == 2


def test_what_cannot_be_built_is_not_ready(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytecode, "build", lambda package: None)
    assert not ready(package)
