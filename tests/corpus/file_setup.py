"""The `setup` and `prepare` words: what state a user's file is in before our command meets it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.corpus import mounts
from tests.corpus.cases import MachineLacks
from tests.corpus.file_seen import LAUNCHER, FileScene, handlers, is_ours
from tests.corpus.words import Words

_OTHER_USER = 65534
_FOREIGN_BYTES = b"a file of another program\n"
Arrange = Callable[[Any, FileScene, bytes], None]
SETUP: Words[Arrange] = Words("setup")
PREPARE: Words[Callable[[str, FileScene, Callable[[], None]], None]] = Words("prepare")
# Placed first: words that decide where the bytes lie; last: words that close doors behind us.
_FIRST, _LAST = ("name", "dir_symlink", "absent", "symlink", "special"), ("mode", "dir_mode", "fs")


def arrange(words: dict[str, Any], scene: FileScene, data: bytes) -> None:
    """Put the case's bytes in place as the `setup` words say."""
    order = sorted(
        words,
        key=lambda word: (word not in _FIRST, word in _LAST, _FIRST.index(word) if word in _FIRST else 0),
    )
    placed = {"absent", "symlink", "special"} & set(words)
    if "absent" not in words:
        scene.path.parent.mkdir(parents=True, exist_ok=True)
    for word in [word for word in order if word in _FIRST]:
        SETUP[word](words[word], scene, data)
    if not placed:
        scene.path.parent.mkdir(parents=True, exist_ok=True)
        scene.path.write_bytes(data)
        scene.real = scene.path
    for word in [word for word in order if word not in _FIRST]:
        SETUP[word](words[word], scene, data)


@SETUP("name")
def _name(value: str, scene: FileScene, _data: bytes) -> None:
    scene.path = scene.path.with_name(value)


@SETUP("case_insensitive_fs")
def _case_insensitive(_value: bool, _scene: FileScene, _data: bytes) -> None:
    return


@SETUP("absent")
def _absent(value: Any, scene: FileScene, _data: bytes) -> None:
    if value != "dir":
        scene.path.parent.mkdir(parents=True, exist_ok=True)


@SETUP("dir_symlink")
def _dir_symlink(_value: bool, scene: FileScene, _data: bytes) -> None:
    folder = scene.path.parent
    real = scene.world.home / "dotfiles" / folder.name
    real.mkdir(parents=True)
    folder.rmdir()
    folder.symlink_to(real)


@SETUP("symlink")
def _symlink(value: str, scene: FileScene, data: bytes) -> None:
    real = scene.world.home / "dotfiles" / scene.path.name
    real.parent.mkdir(parents=True, exist_ok=True)
    if value in ("absolute", "relative", "chain"):
        real.write_bytes(data)
        scene.real = real
    if value == "relative":
        scene.path.symlink_to(os.path.relpath(real, scene.path.parent))
    elif value == "chain":
        middle = real.with_name("middle")
        middle.symlink_to(real)
        scene.path.symlink_to(middle)
    elif value == "loop":
        scene.path.symlink_to(scene.path.name)
    elif value in ("absolute", "dangling"):
        scene.path.symlink_to(real)
    elif value.startswith("/"):
        scene.path.symlink_to(value)
    else:
        raise ValueError(f"symlink {value!r}")


@SETUP("special")
def _special(value: str, scene: FileScene, _data: bytes) -> None:
    {"fifo": os.mkfifo, "dir": os.mkdir}[value](scene.path)


@SETUP("mode")
def _mode(value: str, scene: FileScene, _data: bytes) -> None:
    os.chmod(scene.path, int(value, 8))
    scene.drop_rights = True


@SETUP("dir_mode")
def _dir_mode(value: str, scene: FileScene, _data: bytes) -> None:
    os.chmod(scene.path.parent, int(value, 8))
    scene.drop_rights = True


@SETUP("run_as")
def _run_as(value: str, scene: FileScene, _data: bytes) -> None:
    if value != "non-root":
        raise ValueError(f"run_as {value!r}")
    scene.drop_rights = True


@SETUP("target_owner")
def _target_owner(_value: str, scene: FileScene, _data: bytes) -> None:
    if os.geteuid() != 0:
        raise MachineLacks("needs root to give a file to another user")
    assert scene.real is not None
    os.chown(scene.real, _OTHER_USER, _OTHER_USER)
    scene.drop_rights = True


@SETUP("hardlink")
def _hardlink(_value: bool, scene: FileScene, _data: bytes) -> None:
    name = "AGENTS.md" if scene.target == "instructions" else f"{scene.path.name}.other-name"
    scene.twin = scene.path.with_name(name)
    os.link(scene.path, scene.twin)


@SETUP("extra_files")
def _extra_files(value: dict[str, str], scene: FileScene, _data: bytes) -> None:
    for name, content in value.items():
        (scene.path.parent / name).write_bytes(content.encode())


@SETUP("bak_symlink")
def _bak_symlink(_value: bool, scene: FileScene, _data: bytes) -> None:
    scene.foreign = scene.world.home / "foreign.txt"
    scene.foreign.write_bytes(_FOREIGN_BYTES)
    scene.path.with_name(f"{scene.path.name}.bak").symlink_to(scene.foreign)


@SETUP("fs")
def _fs(value: str, scene: FileScene, _data: bytes) -> None:
    if value != "full":
        raise ValueError(f"fs {value!r}")
    mounts.full(scene.path.parent)


@SETUP("race")
def _race(value: dict[str, str], scene: FileScene, _data: bytes) -> None:
    scene.race = value


@SETUP("kill_at_each_syscall")
def _kill(value: bool, scene: FileScene, _data: bytes) -> None:
    scene.kill = value


@SETUP("parallel")
def _parallel(value: int, scene: FileScene, _data: bytes) -> None:
    scene.parallel = value


# -- prepare ------------------------------------------------------------------
def prepare(steps: list[str], scene: FileScene, install: Callable[[], None]) -> None:
    """Carry out the steps of `prepare` on the file."""
    for step in steps:
        PREPARE[step.partition(":")[0]](step.partition(":")[2], scene, install)


@PREPARE("install")
def _install(_rest: str, _scene: FileScene, install: Callable[[], None]) -> None:
    install()


@PREPARE("oldpath")
def _oldpath(_rest: str, scene: FileScene, _install: Callable[[], None]) -> None:
    text = scene.path.read_text()
    launcher = str(scene.world.user_dir / LAUNCHER)
    assert launcher in text, f"the installed file does not name {launcher}"
    scene.path.write_text(text.replace(launcher, f"/gone/{LAUNCHER}"))


@PREPARE("drop")
def _drop(event: str, scene: FileScene, _install: Callable[[], None]) -> None:
    def edit(hooks: dict[str, Any]) -> None:
        hooks[event] = [group for group in hooks[event] if not any(map(is_ours, group["hooks"]))]
        if not hooks[event]:
            del hooks[event]

    _edit_hooks(scene.path, edit)


@PREPARE("duplicate")
def _duplicate(event: str, scene: FileScene, _install: Callable[[], None]) -> None:
    def edit(hooks: dict[str, Any]) -> None:
        group = _our_group(hooks, event)
        group.append(next(entry for entry in group if is_ours(entry)))

    _edit_hooks(scene.path, edit)


@PREPARE("add_arg")
def _add_arg(rest: str, scene: FileScene, _install: Callable[[], None]) -> None:
    event, _, argument = rest.partition(":")

    def edit(hooks: dict[str, Any]) -> None:
        entry = next(entry for entry in _our_group(hooks, event) if is_ours(entry))
        entry["args"] = [*entry.get("args", []), argument]

    _edit_hooks(scene.path, edit)


@PREPARE("wrap")
def _wrap(rest: str, scene: FileScene, _install: Callable[[], None]) -> None:
    event, _, prefix = rest.partition(":")

    def edit(hooks: dict[str, Any]) -> None:
        entry = next(entry for entry in _our_group(hooks, event) if is_ours(entry))
        entry["args"] = [entry["command"], *entry.get("args", [])]
        entry["command"] = prefix

    _edit_hooks(scene.path, edit)


@PREPARE("foreign_in_group")
def _foreign_in_group(rest: str, scene: FileScene, _install: Callable[[], None]) -> None:
    event, _, command = rest.partition(":")
    _edit_hooks(scene.path, lambda hooks: _our_group(hooks, event).append({"type": "command", "command": command}))


def _edit_hooks(path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    value = json.loads(path.read_text())
    edit(value["hooks"])
    path.write_text(json.dumps(value, indent=2) + "\n")


def _our_group(hooks: dict[str, Any], event: str) -> list[Any]:
    groups = handlers({"hooks": hooks})[event]
    at = next(number for number, group in enumerate(groups) if any(map(is_ours, group)))
    found: list[Any] = hooks[event][at]["hooks"]
    return found
