"""The launcher read back: which interpreter it runs with which file, and for which per-user directory."""

from __future__ import annotations

import marshal
import os
import shlex
from dataclasses import dataclass
from types import CodeType

from gmhooks.init import launcher
from gmhooks.init.refusal import Refusal

_FLAGS = ["-I", "-S"]
_OPTION = "--user-dir="
_PYC_HEAD = 16
_END = ' "$@"; exit 0\n'


@dataclass(frozen=True, slots=True)
class Launcher:
    """What the third line names."""

    python: str
    shim: str
    user_dir: str

    @property
    def source(self) -> str:
        """The shim's source in its package: a compiled shim names the file that it was made from."""
        if not self.shim.endswith(".pyc"):
            return self.shim
        try:
            with open(self.shim, "rb") as file:
                code = marshal.loads(file.read()[_PYC_HEAD:])
        except (OSError, ValueError, EOFError, TypeError):
            return self.shim
        return code.co_filename if isinstance(code, CodeType) else self.shim

    @property
    def package(self) -> str:
        """The folder of the package that the shim belongs to."""
        return os.path.dirname(os.path.dirname(self.source))


def parse(data: bytes, path: str) -> Launcher | None:
    """What a launcher at `path` names; None unless it holds exactly the three lines that we write."""
    try:
        last = data.decode().split("\n", 2)[2]
        words = shlex.split(last.removesuffix(_END)) if last.endswith(_END) else []
    except (ValueError, IndexError):
        return None
    if len(words) != 5 or words[1:3] != _FLAGS or not words[4].startswith(_OPTION):
        return None
    found = Launcher(words[0], words[3], words[4].removeprefix(_OPTION))
    try:
        wanted = launcher.text(found.user_dir, found.python, found.shim)
    except Refusal:
        return None
    return found if data == wanted and os.path.basename(path) == launcher.NAME else None
