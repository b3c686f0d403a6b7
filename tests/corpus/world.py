"""The fresh HOME and project of a case, restored from a template at the same paths; and how to look at them."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gmhooks.context.blocks import CONTEXT, begin, end
from tests.corpus.mounts import undo_mounts
from tests.installed import Program, clean_env, hook_commands

PINNED = "The harbour beacon is lit at dusk"
ELSEWHERE_MARK = "in another store"
BEGIN = begin(CONTEXT)
END = end(CONTEXT)
FENCE_CLOSE = "</graymatter-memory"
RECALL_MARKER = "[GrayMatter hook recall ran for"


class World:
    """Directories below `base` that every case finds in the state of the template.

    `outer` is the project's parent and `top` the parent of that; both, like HOME, may hold stores made elsewhere.
    """

    def __init__(self, program: Program, base: Path) -> None:
        self.program = program
        self.base = base
        self.top = base / "world"
        self.outer = self.top / "outer"
        self.project = self.outer / "project"
        self.home = self.top / "home"
        self.tmp = self.outer / "tmp"
        self.extra_tokens: dict[str, str] = {}
        self._template = base / "template"

    # -- the template ---------------------------------------------------------
    def prepare(self, fill: Callable[[World], None]) -> None:
        """Make the directories, let `fill` set them up with the installed program, and keep that as the template."""
        for folder in (self.project, self.home, self.tmp):
            folder.mkdir(parents=True)
        fill(self)
        shutil.copytree(self.top, self._template, symlinks=True)

    def restore(self) -> None:
        """Everything as the template has it, whatever the case before left behind."""
        undo_mounts(self.top)
        for folder, _, _ in os.walk(self.top):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.top)
        shutil.copytree(self._template, self.top, symlinks=True)

    # -- the program ----------------------------------------------------------
    def cli(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return self.program.cli(*words, cwd=cwd or self.project, home=self.home)

    def done(self, *words: str, cwd: Path | None = None, home: Path | None = None) -> str:
        return self.program.done(*words, cwd=cwd or self.project, home=home or self.home)

    def env(self) -> dict[str, str]:
        return clean_env(self.home)

    @property
    def settings(self) -> Path:
        return self.project / ".claude" / "settings.local.json"

    @property
    def store(self) -> Path:
        return self.project / ".graymatter"

    @property
    def user_dir(self) -> Path:
        return self.home / ".local" / "share" / "gmhooks"

    def commands(self) -> dict[str, list[str]]:
        return hook_commands(self.settings)

    # -- what is there --------------------------------------------------------
    def facts(self) -> list[dict[str, Any]]:
        """Every live fact of every agent, oldest first, as `graymatter list --json` tells them."""
        answer = json.loads(self.done("list", "--all", "--json"))
        return sorted(answer["facts"], key=lambda fact: fact["id"])

    def receipts(self) -> list[dict[str, Any]]:
        """The lines of hooks.log; a line that is not one JSON object appears as {"broken": text}."""
        found = []
        for name in ("hooks.log.1", "hooks.log"):
            try:
                lines = (self.store / name).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue
            for line in lines:
                try:
                    value = json.loads(line)
                except ValueError:
                    value = None
                found.append(value if isinstance(value, dict) else {"broken": line})
        return found

    def receipt_codes(self) -> list[str]:
        return [str(line.get("code", "")) for line in self.receipts()]

    def tokens(self) -> dict[str, str]:
        """What {{…}} and @@…@@ stand for here, not escaped."""
        return {
            "{{PROJECT}}": str(self.project),
            "{{HOME}}": str(self.home),
            "{{TMP}}": str(self.tmp),
            "@@BEGIN@@": BEGIN,
            "@@END@@": END,
            "@@FENCE_CLOSE@@": FENCE_CLOSE,
            "@@RECALL_MARKER@@": RECALL_MARKER,
            **self.extra_tokens,
        }

    def expand(self, text: str) -> str:
        return replaced(text, self.tokens())

    def expand_json(self, data: bytes) -> bytes:
        """Replace the tokens inside JSON text."""
        for token, value in self.tokens().items():
            data = data.replace(token.encode(), json.dumps(value)[1:-1].encode())
        return data


def replaced(text: str, tokens: Mapping[str, str]) -> str:
    """`text` with every token replaced."""
    for token, value in tokens.items():
        text = text.replace(token, value)
    return text


def tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Every path below `folder`: mode, size and mtime (of folders only the mode)."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(parent, name)
            info = os.lstat(path)
            folderish = stat.S_ISDIR(info.st_mode)
            found[path] = (
                info.st_mode,
                0 if folderish else info.st_size,
                0 if folderish else info.st_mtime_ns,
            )
    return found


def holds_text(folders: list[Path], needle: bytes) -> list[str]:
    """Files below `folders` whose bytes contain `needle`."""
    hits = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and needle in path.read_bytes():
                hits.append(str(path.relative_to(folder)))
    return hits
