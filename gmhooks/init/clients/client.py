"""What has to be known of a client to wire it. Every other module here holds one `CLIENT`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gmhooks.init import mcp_launcher

NAME = "graymatter"
BELOW_HOME = "/.local/share/gmhooks/" + mcp_launcher.NAME
JSON, JSONC, TOML = "json", "jsonc", "toml"
CLAUDE_MD, AGENTS_MD = "CLAUDE.md", "AGENTS.md"
PREPARED_ONLY = "--prepared-only"


@dataclass(frozen=True, slots=True)
class Where:
    """The project, the user's own directories, the environment, and a store named by `--dir` (or None)."""

    root: str
    user_dir: str
    home: str
    environ: Mapping[str, str] = field(default_factory=dict)
    data_dir: str | None = None

    def in_project(self, *parts: str) -> str:
        """A path below the project."""
        return os.path.join(self.root, *parts)

    def in_home(self, *parts: str) -> str:
        """A path below the home directory."""
        return os.path.join(self.home, *parts)

    def named(self, variable: str, *below_home: str) -> str:
        """The absolute directory that a variable names, else the one below the home directory."""
        found = self.environ.get(variable, "")
        return found if os.path.isabs(found) else self.in_home(*below_home)

    def launcher(self) -> str:
        """The absolute path of the server's launcher, for files of this machine only."""
        return mcp_launcher.path_in(self.user_dir)

    def options(self, *more: str) -> list[str]:
        """The server's options."""
        return [*more, *([f"--dir={self.data_dir}"] if self.data_dir is not None else [])]


@dataclass(frozen=True, slots=True)
class Client:
    """One client. ``path`` names the file with its servers, ``entry`` the value of ours in the object ``table``.

    ``instructions``: the file in the project that it loads; ``own_file``: the one in the home directory, for all projects.
    ``extra``: members of a file we create; ``others``: further files it reads servers from; ``known_elsewhere``: whether a
    wider scope has our server already. ``opt_in``: only on request."""

    id: str
    title: str
    order: int
    dialect: str
    table: str
    path: Callable[[Where], str]
    entry: Callable[[Where], dict[str, object]]
    instructions: str = AGENTS_MD
    own_file: Callable[[Where], str] | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    others: Callable[[Where], list[str]] | None = None
    known_elsewhere: Callable[[Where], bool] | None = None
    opt_in: bool = False
    private: bool = False
    documentation: str = ""


def stdio(command: str, options: list[str], **more: object) -> dict[str, object]:
    """The entry most clients take."""
    return {"command": command, "args": options, **more}
