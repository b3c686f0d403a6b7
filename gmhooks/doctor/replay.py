"""The recorded commands, run as the client runs them, on a private copy of the store with a registry of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gmhooks.doctor import probe
from gmhooks.doctor.checks.package import stale_bytecode
from gmhooks.doctor.clientfiles import PLUGIN
from gmhooks.doctor.finding import FAIL, INFO, OK, Finding
from gmhooks.doctor.handlers import Handler
from gmhooks.doctor.launcherfile import Launcher
from gmhooks.doctor.view import View
from gmhooks.init import launcher
from gmhooks.init.launcher import NAME
from gmhooks.init.settings import EVENTS
from gmhooks.init.stage import PROMPT, SAMPLE, TIMEOUT_S, Stage, context_of
from gmhooks.store.errors import StoreError

_DROPPED = ("GRAYMATTER_", "CLAUDE", "LMDB_")
_PORTABLE_PLACE = ".local/share/gmhooks"
FIELDS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": PROMPT, "permission_mode": "default"},
    "PreCompact": {"trigger": "manual", "custom_instructions": None},
    "SessionEnd": {"reason": "other"},
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One command that an entry records: the words to run on a stage, and what they are called for a person."""

    event: str
    shell_line: str
    name: str

    def words(self, stage: Stage, path: str, direct: Sequence[str] = ()) -> list[str]:
        """The command line on that stage: the shell form finds a launcher of the stage's own in its home.

        `direct` stands for the launcher where that must not be used.
        """
        if direct:
            return stage.redirected([*direct, EVENTS[self.event][0]])
        if self.shell_line:
            return ["/bin/sh", "-c", self.shell_line]
        return stage.redirected([path, EVENTS[self.event][0]])


def recorded(view: View) -> list[Recorded]:
    """The distinct commands worth running: exactly the launcher of this user, with its event, in one of our two forms.

    Nothing else is run: settings of a cloned project may name any program.
    """
    found: dict[tuple[str, bool], Recorded] = {}
    for each in view.handlers:
        own = each.words == (view.launcher_path, EVENTS[each.event][0]) if each.event in EVENTS else False
        if each.portable or (own and "args" in each.entry):
            line = str(each.entry["command"]) if each.portable else ""
            found.setdefault((each.event, each.portable), Recorded(each.event, line, _name(each)))
    return list(found.values())


def _name(each: Handler) -> str:
    return f"{each.event} ({each.file.scope if not each.file.scope.startswith(PLUGIN) else PLUGIN})"


def environment(view: View) -> dict[str, str]:
    """What the client gives to a hook, less what would lead it to other stores or switch it off."""
    kept = {name: value for name, value in view.at.environ.items() if not name.startswith(_DROPPED)}
    return {"PATH": os.defpath, **kept, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}


def check(view: View) -> Iterator[Finding]:
    """Run every recorded command once and judge its answer."""
    named, commands = view.launcher, recorded(view)
    if not commands:
        return
    blocked = obstacle(view)
    if blocked or named is None:
        yield Finding("replay.answer", INFO, f"nothing was run: {blocked}")
        return
    direct = [named.python, "-B", "-I", "-S", named.shim] if would_write(view) else []
    with tempfile.TemporaryDirectory(prefix="gmhooks-doctor-") as folder:
        stage = Stage(os.path.realpath(folder), view.at.route.root)
        note = furnish(stage, view)
        note += ", without the launcher, which would write bytecode" if direct else ""
        lend_launcher(stage, named)
        faults = [fault for each in commands if (fault := _fault(each, stage, view, direct))]
        made = os.listdir(_unprepared(stage))
    if made:
        yield Finding("scope.guard", FAIL, f"a hook made {made[0]} in a directory that is not prepared")
    for fault in faults:
        yield Finding("replay.answer", FAIL, fault)
    if not faults:
        yield Finding("replay.answer", OK, f"{len(commands)} commands answered as they must, {note}")


def furnish(stage: Stage, view: View) -> str:
    """Fill the stage from the project's store, or from nothing where that cannot be copied; say which."""
    try:
        stage.furnish(view.at.route.data_dir)
        return "on a copy of the store"
    except (StoreError, OSError):
        pass
    os.rename(stage.data_dir, stage.data_dir + ".unusable")
    os.rename(stage.user_dir, stage.user_dir + ".unusable")
    stage.furnish(None)
    return "on an empty store, because this one could not be copied"


def lend_launcher(stage: Stage, named: Launcher) -> None:
    """Put a launcher for the stage's registry where the shell form looks for one in its home."""
    place = os.path.join(stage.folder, _PORTABLE_PLACE)
    os.makedirs(place, 0o700)
    path = os.path.join(place, NAME)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
        file.write(launcher.text(stage.user_dir, named.python, named.shim))


def obstacle(view: View) -> str:
    """Why no command can be run; "" when one can."""
    named = view.launcher
    if named is None or not view.usable:
        return "the launcher cannot be run"
    if not os.path.isfile(named.shim) or not os.access(named.python, os.X_OK):
        return "the launcher names files that are not there"
    seen = probe.ask(named)
    if seen is None or seen.problem:
        return "the recorded Python cannot load what a hook needs"
    return ""


def would_write(view: View) -> bool:
    """Whether a hook started by the launcher would write bytecode: looking at things must change nothing."""
    seen = probe.ask(view.launcher) if view.launcher is not None else None
    return view.launcher is not None and seen is not None and any(stale_bytecode(view.launcher, seen.cache_tag))


def _fault(each: Recorded, stage: Stage, view: View, direct: list[str]) -> str:
    """What is wrong with one command's answer; "" when nothing is."""
    fields = {"hook_event_name": each.event, **FIELDS[each.event]}
    if each.event == "SessionEnd":
        stage = _elsewhere(stage, _unprepared(stage))
    try:
        done = stage.run(each.words(stage, view.launcher_path, direct), fields, environment(view))
    except OSError as error:
        return f"{each.name} cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{each.name} did not end within {TIMEOUT_S} s"
    if done.returncode or done.stderr:
        return f"{each.name} ended with status {done.returncode} and {len(done.stderr)} bytes on its standard error"
    fault = _JUDGES[each.event](done.stdout)
    receipt = f"; its receipt is {stage.receipt()}" if fault and stage.receipt() else ""
    return f"{each.name} {fault}{receipt}" if fault else ""


def _unprepared(stage: Stage) -> str:
    path = os.path.join(stage.folder, "unprepared")
    os.makedirs(path, exist_ok=True)
    return path


def _elsewhere(stage: Stage, project: str) -> Stage:
    """The stage with another project: a session's end would leave a process behind that works in the copy."""
    other = Stage(stage.folder, project)
    other.project, other.user_dir = project, stage.user_dir
    return other


def _shows_sample(answer: bytes) -> str:
    if not answer:
        return "answered nothing"
    text = context_of(answer)
    if text is None:
        return "did not answer with the documented JSON object"
    return "" if text.count(SAMPLE) == 1 else "did not show the sample fact exactly once"


def _is_plain(answer: bytes) -> str:
    if not answer or len(answer) > 1024:
        return f"answered {len(answer)} bytes"
    try:
        json.loads(answer)
    except ValueError:
        return ""
    return "answered JSON, which the client refuses there"


def _is_silent(answer: bytes) -> str:
    return f"answered {len(answer)} bytes in a directory that is not prepared" if answer else ""


def _any_start(answer: bytes) -> str:
    """A session start shows pinned and verified facts before the sample, which may find no room."""
    return "" if answer and context_of(answer) is not None else "did not answer with the documented JSON object"


_JUDGES: dict[str, Callable[[bytes], str]] = {
    "SessionStart": _any_start,
    "UserPromptSubmit": _shows_sample,
    "PreCompact": _is_plain,
    "SessionEnd": _is_silent,
}
