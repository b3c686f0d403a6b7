"""The `run` words of a hook case: environment, descriptors, limits, signals, clock, and what lies around."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.corpus.launch import Surroundings
from tests.corpus.states import NEEDS_ORDINARY_USER, STATES
from tests.corpus.words import Words, as_list
from tests.corpus.world import World

CLOCK_VARIABLE = "GRAYMATTER_CLOCK"
_SHADOWED = ("json.py", "lmdb.py", "orjson.py", "sitecustomize.py")


@dataclass
class Scene:
    """How one hook run of a case is started."""

    env: dict[str, str]
    cwd: Path
    around: Surroundings = field(default_factory=Surroundings)
    times: int = 1
    store_state: str | None = None
    pieces: int | None = None


RUN: Words[Callable[[Any, Scene, World], None]] = Words("run")


def scene(words: dict[str, Any], world: World) -> Scene:
    """Carry out the `run` words in the world and return how to start the hook."""
    made = Scene(env=world.env(), cwd=world.project)
    for word in sorted(words, key=lambda word: word != "env_clear"):
        RUN[word](words[word], made, world)
    return made


@RUN("env")
def _env(value: dict[str, str], scene: Scene, world: World) -> None:
    scene.env.update({name: world.expand(text) for name, text in value.items()})


@RUN("env_clear")
def _env_clear(value: bool, scene: Scene, world: World) -> None:
    if value:
        scene.env = {"PATH": world.env()["PATH"]}


@RUN("env_unset")
def _env_unset(value: Any, scene: Scene, _world: World) -> None:
    for name in as_list(value):
        scene.env.pop(name, None)


@RUN("cwd")
def _cwd(value: str, scene: Scene, world: World) -> None:
    if value == "deleted":
        scene.cwd = world.tmp / "deleted"
        scene.cwd.mkdir()
        scene.around.delete_cwd = True
    else:
        scene.cwd = Path(world.expand(value))


@RUN("mkdir")
def _mkdir(value: Any, _scene: Scene, world: World) -> None:
    for path in as_list(value):
        os.makedirs(world.expand(path))


@RUN("mkfifo")
def _mkfifo(value: Any, _scene: Scene, world: World) -> None:
    for path in as_list(value):
        os.mkfifo(world.expand(path))


@RUN("symlink")
def _symlink(value: list[str], _scene: Scene, world: World) -> None:
    target, name = value
    os.symlink(world.expand(target), world.expand(name))


@RUN("sparse")
def _sparse(value: list[Any], _scene: Scene, world: World) -> None:
    path, size = value
    with open(world.expand(path), "wb") as file:
        file.truncate(size)


@RUN("close_fd")
def _close_fd(value: Any, scene: Scene, _world: World) -> None:
    scene.around.close_fds = as_list(value)


@RUN("stdin")
def _stdin(value: str, scene: Scene, _world: World) -> None:
    scene.around.stdin = value


@RUN("stdout")
def _stdout(value: str, scene: Scene, _world: World) -> None:
    scene.around.stdout = value


@RUN("stdin_chunks")
def _chunks(value: int, scene: Scene, _world: World) -> None:
    scene.pieces = value


@RUN("stdin_delay_ms")
def _delay(value: int, scene: Scene, _world: World) -> None:
    scene.around.chunk_delay_s = value / 1000


@RUN("umask")
def _umask(value: str, scene: Scene, _world: World) -> None:
    scene.around.umask = int(value, 8)


@RUN("rlimit")
def _rlimit(value: dict[str, int], scene: Scene, _world: World) -> None:
    scene.around.limits = value


@RUN("clock")
def _clock(value: str, scene: Scene, _world: World) -> None:
    scene.env[CLOCK_VARIABLE] = f"@{int(datetime.fromisoformat(value).timestamp())}"


@RUN("clock_offset_s")
def _offset(value: int, scene: Scene, _world: World) -> None:
    scene.env[CLOCK_VARIABLE] = f"{value:+d}"


@RUN("signals")
def _signals(value: dict[str, list[str]], scene: Scene, _world: World) -> None:
    scene.around.ignored = value.get("ignore", [])
    scene.around.blocked = value.get("block", [])


@RUN("shadow_modules_in")
def _shadow(value: str, scene: Scene, world: World) -> None:
    folder = scene.cwd if value == "cwd" else world.tmp / "shadow"
    folder.mkdir(exist_ok=True)
    for name in _SHADOWED:
        (folder / name).write_text('raise RuntimeError("a module of the user\'s directory was imported")\n')
    if value == "PYTHONPATH":
        scene.env["PYTHONPATH"] = str(folder)


@RUN("store_state")
def _state(value: str, scene: Scene, _world: World) -> None:
    STATES[value]
    scene.store_state = value
    scene.around.drop_rights = value in NEEDS_ORDINARY_USER


@RUN("times")
def _times(value: int, scene: Scene, _world: World) -> None:
    scene.times = value
