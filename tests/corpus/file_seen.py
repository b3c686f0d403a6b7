"""What a command did to a user's file: states of the file before and after, and of what lies beside it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.corpus.cases import Case
from tests.corpus.launch import Ran
from tests.corpus.world import World

LAUNCHER = "gmhooks-hook"
Entries = dict[str, list[list[dict[str, Any]]]]


@dataclass(frozen=True)
class FileState:
    """One name as it is now: kind and link target by lstat, bytes, mode and mtime of what it leads to."""

    kind: str
    link: str | None
    data: bytes | None
    mode: int | None
    mtime_ns: int | None

    @classmethod
    def of(cls, path: Path) -> FileState:
        if not os.path.lexists(path):
            return cls("absent", None, None, None, None)
        kind = _kind(os.lstat(path).st_mode)
        link = os.readlink(path) if kind == "link" else None
        try:
            info = os.stat(path)
        except OSError:
            return cls(kind, link, None, None, None)
        data = path.read_bytes() if stat.S_ISREG(info.st_mode) else None
        return cls(kind, link, data, stat.S_IMODE(info.st_mode), info.st_mtime_ns)

    @property
    def same_file(self) -> tuple[str, str | None, bytes | None, int | None]:
        """Everything except the time."""
        return self.kind, self.link, self.data, self.mode


def _kind(mode: int) -> str:
    kinds = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "dir", stat.S_IFIFO: "fifo"}
    return kinds.get(stat.S_IFMT(mode), "special")


@dataclass
class FileScene:
    """Where the case's file is and how the command is to be run on it."""

    world: World
    target: str
    path: Path
    real: Path | None
    drop_rights: bool = False
    twin: Path | None = None
    foreign: Path | None = None
    race: dict[str, str] | None = None
    kill: bool = False
    parallel: int = 1


@dataclass
class Step:
    """One run of the program on the file and the file after it."""

    ran: Ran
    state: FileState


@dataclass
class SeenFile:
    """Everything observed about one case."""

    case: Case
    scene: FileScene
    before: FileState
    after: FileState
    ran: Ran
    names_before: dict[Path, set[str]]
    names_after: dict[Path, set[str]]
    real_after: bytes | None
    again: Step | None = None
    removed: Step | None = None
    fresh: Entries = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)

    @property
    def world(self) -> World:
        return self.scene.world

    @property
    def outcome(self) -> str:
        """changed | unchanged | refused | broken (failed, and yet the file is another)."""
        same = self.before.same_file == self.after.same_file
        if self.ran.status != 0:
            return "refused" if same else "broken"
        return "unchanged" if same else "changed"

    @property
    def complaint(self) -> str:
        return self.ran.errors.strip()

    def report(self) -> Any:
        """The machine-readable report, None if there is none."""
        try:
            return json.loads(self.ran.out)
        except ValueError:
            return None

    def value(self) -> Any:
        """The file as JSON; None if it is none."""
        return parsed(self.after.data)


def parsed(data: bytes | None) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig")) if data is not None else None
    except ValueError:
        return None


def names_in(folders: Sequence[Path]) -> dict[Path, set[str]]:
    """The names in each folder; an absent folder has none."""
    return {folder: set(os.listdir(folder)) if folder.is_dir() else set() for folder in folders}


def handlers(value: Any) -> dict[str, list[list[dict[str, Any]]]]:
    """Event to groups to handlers of a settings object; parts of a wrong shape are left out."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    found: Entries = {}
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        kept = [group["hooks"] for group in groups if _has_handlers(group)] if isinstance(groups, list) else []
        found[event] = [[entry for entry in group if isinstance(entry, dict)] for group in kept]
    return found


def _has_handlers(group: Any) -> bool:
    return isinstance(group, dict) and isinstance(group.get("hooks"), list)


def is_ours(entry: dict[str, Any]) -> bool:
    """Whether a handler runs our launcher."""
    words = [entry.get("command"), *(entry.get("args") or [])]
    return any(isinstance(word, str) and Path(word).name == LAUNCHER for word in words)


def ours(value: Any) -> Entries:
    """Event to groups to our handlers; groups without one are left out."""
    found: Entries = {}
    for event, groups in handlers(value).items():
        mine = [[entry for entry in group if is_ours(entry)] for group in groups]
        if any(mine):
            found[event] = [group for group in mine if group]
    return found


def foreign_commands(value: Any) -> list[Any]:
    """The command of every handler that is not ours."""
    every = [entry for groups in handlers(value).values() for group in groups for entry in group]
    return [entry.get("command") for entry in every if not is_ours(entry)]
