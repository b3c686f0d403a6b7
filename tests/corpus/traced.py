"""Runs under strace: killed before each changing system call in turn, or overtaken by another writer."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

from tests.corpus.cases import MachineLacks
from tests.corpus.file_seen import FileScene, FileState
from tests.corpus.launch import Ran, Surroundings, run

CHANGING = (
    "write", "pwrite64", "writev", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink",
    "unlinkat", "mkdir", "mkdirat", "ftruncate", "truncate", "fsync", "fdatasync", "fchmod", "chmod", "fchmodat", "fchown",
)  # fmt: skip
_MOST_CALLS = 2000
_PAUSE = "1500000"


def torn_states(command: Sequence[str], scene: FileScene, before: FileState, after: FileState) -> list[str]:
    """Kill the command before its n-th changing call of a name, for every name and n; each state neither old nor new."""
    torn = []
    log = scene.world.base / "strace.log"
    for call in CHANGING:
        for number in range(1, _MOST_CALLS):
            scene.world.restore()
            scene.path.parent.mkdir(parents=True, exist_ok=True)
            if before.data is not None:
                scene.path.write_bytes(before.data)
            trace = [
                _strace(), "-f", "-o", str(log), "-e", f"trace={call}",
                "-e", f"inject={call}:signal=KILL:when={number}",
            ]  # fmt: skip
            run([*trace, *command], scene.world.env(), scene.world.project)
            state = FileState.of(scene.path)
            if state.data not in (before.data, after.data):
                torn.append(f"killed at {call} {number}: {(state.data or b'')[:80]!r}")
            if "killed by SIGKILL" not in log.read_text(errors="replace"):
                break
        else:
            torn.append(f"more than {_MOST_CALLS} calls of {call}")
    return torn


def raced(command: Sequence[str], scene: FileScene) -> Ran:
    """Run the command; another program writes the file as soon as it was read, while the command is held up."""
    race, scene.race = scene.race or {}, None
    log = scene.world.base / "race.log"
    log.write_bytes(b"")
    trace = [
        _strace(), "-f", "-qq", "-o", str(log), "-P", str(scene.path),
        "-e", "trace=read,pread64,close", "-e", f"inject=close:delay_exit={_PAUSE}:when=1",
    ]  # fmt: skip
    done = threading.Event()
    rival = threading.Thread(target=_overtake, args=(scene.path, log, race, done))
    rival.start()
    around = Surroundings(drop_rights=scene.drop_rights)
    ran = run([*trace, *command], scene.world.env(), scene.world.project, (), around)
    done.set()
    rival.join()
    return ran


def _overtake(path: Path, log: Path, race: dict[str, str], done: threading.Event) -> None:
    while not done.wait(0.005):
        if "read" in log.read_text(errors="replace"):
            if "write" in race:
                fresh = path.with_name(path.name + ".rival")
                fresh.write_bytes(race["write"].encode())
                fresh.replace(path)
            else:
                with open(path, "ab") as file:
                    file.write(race["append"].encode())
            return


def _strace() -> str:
    found = shutil.which("strace")
    if found is None:
        raise MachineLacks("needs strace")
    return found
