"""The client's own files, read as the client reads them: settings of every scope, plugins' hooks, trust in folders."""

from __future__ import annotations

import glob
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gmhooks.init import jsonc, publish
from gmhooks.init.install import SCOPES, settings_path
from gmhooks.init.refusal import Refusal
from gmhooks.memory.places import home

MANAGED, PLUGIN = "managed", "plugin"
MANAGED_FOLDER = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One file that may hold hooks. `body` is {} for an absent or unreadable one; `fault` says why it is unreadable."""

    scope: str
    path: str
    present: bool
    body: dict[str, object]
    fault: Refusal | None = None

    @property
    def hooks(self) -> object:
        """The value of `hooks`, of whatever type."""
        return self.body.get("hooks", {})

    @property
    def env(self) -> dict[str, object]:
        """Variables that the file sets for the client and its hooks."""
        env = self.body.get("env")
        return env if isinstance(env, dict) else {}


def read(scope: str, path: str) -> SettingsFile:
    """Read one settings file; whatever is wrong with it is in `fault`."""
    try:
        data = publish.read(publish.resolve(path)[0]).data
        if data is None:
            return SettingsFile(scope, path, False, {})
        text = jsonc.decode(data)[1]
        if not text.strip():
            return SettingsFile(scope, path, True, {})
        if jsonc.parse(text).kind != "object":
            raise Refusal("not_object", "the file does not hold an object")
        return SettingsFile(scope, path, True, json.loads(text))
    except Refusal as fault:
        return SettingsFile(scope, path, True, {}, fault)
    except RecursionError:
        return SettingsFile(scope, path, True, {}, Refusal("too_deep", "the file is nested too deeply"))
    except OSError as error:
        return SettingsFile(scope, path, True, {}, Refusal("io_error", error.strerror or str(error)))


def settings_files(root: str, environ: Mapping[str, str], scopes: Iterable[str] = SCOPES) -> list[SettingsFile]:
    """The settings files of these scopes; one file that serves two of them comes once."""
    found: dict[str, SettingsFile] = {}
    for scope in scopes:
        path = settings_path(scope, root, environ)
        found.setdefault(os.path.realpath(path), read(scope, path))
    return list(found.values())


def managed_files(folder: str) -> list[SettingsFile]:
    """The administrator's settings files that exist in this folder."""
    paths = [os.path.join(folder, "managed-settings.json")]
    paths += sorted(glob.glob(os.path.join(glob.escape(folder), "managed-settings.d", "*.json")))
    return [file for file in (read(MANAGED, path) for path in paths) if file.present]


def plugin_files(config: str, settings: Iterable[SettingsFile]) -> list[SettingsFile]:
    """hooks/hooks.json of every plugin that is installed for the user or a project and not switched off."""
    enabled: dict[str, object] = {}
    for file in settings:
        named = file.body.get("enabledPlugins")
        if isinstance(named, dict):
            enabled.update(named)
    plugins = read(PLUGIN, os.path.join(config, "plugins", "installed_plugins.json")).body.get("plugins")
    found: dict[str, SettingsFile] = {}
    for name, installs in plugins.items() if isinstance(plugins, dict) else ():
        for install in installs if isinstance(installs, list) else [installs]:
            place = install.get("installPath") if isinstance(install, dict) else None
            if isinstance(place, str) and enabled.get(name) is True:
                file = read(f"{PLUGIN} {name}", os.path.join(place, "hooks", "hooks.json"))
                if file.present:
                    found[file.path] = file
    return list(found.values())


def trusted_folder(environ: Mapping[str, str], root: str) -> bool | None:
    """Whether the client trusts `root` or a folder above it; None when it has never asked."""
    folder = environ.get("CLAUDE_CONFIG_DIR") or home(environ)
    try:
        with open(os.path.join(folder, ".claude.json"), "rb") as file:
            projects = json.load(file)["projects"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not isinstance(projects, dict):
        return None
    answers = []
    folder = root
    while True:
        project = projects.get(folder)
        if isinstance(project, dict) and "hasTrustDialogAccepted" in project:
            answers.append(project["hasTrustDialogAccepted"] is True)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return any(answers) if answers else None
