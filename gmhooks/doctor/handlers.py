"""Hook entries in the client's files that call us, one by one, with what kind of call each is."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from gmhooks.doctor.clientfiles import SettingsFile
from gmhooks.init import settings
from gmhooks.init.launcher import NAME

ARGUMENTS = {argument: event for event, (argument, _) in settings.EVENTS.items()}
_PROGRAMS = re.compile(r"(graymatter|gmhooks)(\.exe)?$")
_SHIM = "gmhooks/hooks/shim.py"


@dataclass(frozen=True, slots=True)
class Handler:
    """One entry of ours: `state` as in `init.settings`, "" for a call past the launcher; `words` is its command line."""

    file: SettingsFile
    event: str
    matcher: str
    entry: dict[str, object]
    state: str
    words: tuple[str, ...]

    @property
    def place(self) -> str:
        """File and event, for a person."""
        return f"{self.event} in {self.file.path}"

    @property
    def portable(self) -> bool:
        """Whether it is exactly the form for shared project settings."""
        return self.event in settings.EVENTS and self.entry == settings.handler(self.event, None)

    @property
    def tool(self) -> bool:
        """Whether it asks the running MCP server instead of starting a command."""
        return self.entry.get("type") == "mcp_tool"

    @property
    def argument(self) -> str:
        """The event that the command is told, in the client's own words; "" for none."""
        if self.tool:
            return settings.TOOL_EVENT
        for word in reversed(self.words):
            if word in settings.EVENTS or word in ARGUMENTS:
                return ARGUMENTS.get(word, word)
        return ""

    @property
    def launcher(self) -> str:
        """The launcher that it calls, as it is written."""
        return next((word for word in self.words if os.path.basename(word) == NAME), "")


def handlers(file: SettingsFile, launcher: str) -> list[Handler]:
    """Every entry of ours in one file, in order."""
    return [found for event, group, entry in _entries(file) if (found := _handler(file, event, group, entry, launcher))]


def _entries(file: SettingsFile) -> Iterator[tuple[str, dict[str, object], dict[str, object]]]:
    if not isinstance(file.hooks, dict):
        return
    for event, groups in file.hooks.items():
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    yield event, group, entry


def _handler(
    file: SettingsFile, event: str, group: dict[str, object], entry: dict[str, object], launcher: str
) -> Handler | None:
    alone = json.dumps({"hooks": {event: [{"hooks": [entry]}]}}).encode()
    state = settings.installed(alone, launcher).get(event, "")
    words = tuple(_words(entry))
    if not state and not _past_launcher(words):
        return None
    matcher = group.get("matcher")
    return Handler(file, event, matcher if isinstance(matcher, str) else "", entry, state, words)


def _words(entry: dict[str, object]) -> list[str]:
    command, arguments = entry.get("command"), entry.get("args")
    if not isinstance(command, str):
        return []
    if isinstance(arguments, list):
        return [command, *(word for word in arguments if isinstance(word, str))]
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _past_launcher(words: tuple[str, ...]) -> bool:
    """Whether the command is a verb of ours (`graymatter hooks run …`), the module form of it, or the shim itself."""
    for at, word in enumerate(words):
        rest = words[at + 1 :]
        if _PROGRAMS.match(os.path.basename(word)) and rest[:2] == ("hooks", "run"):
            return True
        if word.endswith(_SHIM):
            return True
    return False
