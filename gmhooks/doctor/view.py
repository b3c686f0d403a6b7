"""All that the checks look at, read once and never written."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gmhooks.context.claudecode import config_dir
from gmhooks.doctor import clientfiles, launcherfile
from gmhooks.doctor.clientfiles import SettingsFile
from gmhooks.doctor.handlers import Handler, handlers
from gmhooks.doctor.launcherfile import Launcher
from gmhooks.doctor.mounts import TABLE
from gmhooks.hooks.route import Route
from gmhooks.init.install import SCOPES
from gmhooks.init.launcher import path_in


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Whose set-up is examined: the project's route, the per-user directory, the environment, and which scopes.

    `refusal` says why the route's directory can be no project; then only what is not the project's can be judged.
    """

    route: Route
    user_dir: str
    environ: Mapping[str, str]
    scopes: tuple[str, ...] = SCOPES
    mounts: str = TABLE
    managed: str = clientfiles.MANAGED_FOLDER
    refusal: str = ""


@dataclass
class View:
    """What was found in those surroundings."""

    at: Surroundings
    settings: list[SettingsFile] = field(init=False)
    others: list[SettingsFile] = field(init=False)
    ruling: list[SettingsFile] = field(init=False)

    def __post_init__(self) -> None:
        self.settings = clientfiles.settings_files(self.at.route.root, self.at.environ, self.at.scopes)
        self.others = clientfiles.managed_files(self.at.managed)
        # Single values are ruled by the first file that has them, whichever scopes are examined.
        self.ruling = [*self.others, *clientfiles.settings_files(self.at.route.root, self.at.environ)]
        if set(self.at.scopes) == set(SCOPES):
            config = config_dir(self.at.environ)
            self.others += clientfiles.plugin_files(config, [*self.settings, *self.others])

    @property
    def files(self) -> list[SettingsFile]:
        """Every file that may hold hooks."""
        return [*self.settings, *self.others]

    @property
    def launcher_path(self) -> str:
        """Where the launcher of this user lies."""
        return path_in(self.at.user_dir)

    @cached_property
    def handlers(self) -> list[Handler]:
        """Every entry of ours in every file."""
        return [found for file in self.files for found in handlers(file, self.launcher_path)]

    @cached_property
    def launcher_status(self) -> os.stat_result | None:
        """Status of the launcher itself; None when there is none."""
        try:
            return os.lstat(self.launcher_path)
        except OSError:
            return None

    @cached_property
    def launcher(self) -> Launcher | None:
        """What the launcher names; None unless it is there and whole."""
        status = self.launcher_status
        if status is None or not stat.S_ISREG(status.st_mode):
            return None
        try:
            with open(self.launcher_path, "rb") as file:
                return launcherfile.parse(file.read(1 << 16), self.launcher_path)
        except OSError:
            return None

    @cached_property
    def uses_launcher(self) -> bool:
        """Whether any entry calls the launcher of this user."""
        return any(each.portable or each.launcher == self.launcher_path for each in self.handlers)

    @cached_property
    def usable(self) -> bool:
        """Whether the launcher is whole and may be run: only then is it."""
        return self.launcher is not None and os.access(self.launcher_path, os.X_OK)
