"""P10, P11: a user's file while we edit it: killed at every call, and beside another program that edits it too."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from gmhooks.init.catalogue import chosen
from gmhooks.init.clients.client import NAME, Where
from gmhooks.init.servers import register, unregister
from tests.corpus.traced import CHANGING
from tests.faults.edits import CONFIGS, MARKDOWN, without_launcher
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome

_BEFORE = {
    "hooks": b'{\r\n  "model": "opus",\r\n  "hooks": {"Stop": []}\r\n}',
    "claudecode": b'{"mcpServers": {"alpha": {"command": "a"}}}\n',
    "opencode": b'// mine\n{\n\t"mcp": {}, // none\n}\n',
    "codex": b'# mine\n[mcp_servers.alpha]\ncommand = "a"\n',
    "instructions": b"\xef\xbb\xbf# Mine\r\n\r\nlast line",
    "facts": b"# Mine\n",
}
_EDITS = {**CONFIGS, **MARKDOWN}
_RIVAL = """
import json, os, random, sys
path, chance, number = sys.argv[1], random.Random(int(sys.argv[2])), 0
for line in sys.stdin:
    for turn in range(int(line)):
        number += 1
        try:
            with open(path, encoding="utf-8") as file:
                held = json.load(file)
        except FileNotFoundError:
            held = {}
        held["theirs"] = number
        with open(path + ".theirs", "w", encoding="utf-8") as file:
            json.dump(held, file, indent=2)
        os.rename(path + ".theirs", path)
        for _ in range(chance.randint(0, 3000)):
            pass
    print(number, flush=True)
"""


def killed(ground: Ground, every: int) -> Outcome:
    """Kill the verb that edits, and the one that takes out, before each changing call (unless `every`, one in sixteen).

    The file is the old or the new one; then the next run completes the edit, and taking it out gives the old bytes."""
    outcome = Outcome()
    if shutil.which("strace") is None:
        outcome.not_run = "needs strace"
        return outcome
    for name in ("kills", "old", "new", "torn", "not completed", "not given back"):
        outcome.count(name, 0)
    with without_launcher():
        for name, data in _BEFORE.items():
            for taking in (False, True):
                _killed_verb(ground, outcome, name, data, taking, 1 if every else 16)
    return outcome


def _killed_verb(ground: Ground, outcome: Outcome, name: str, data: bytes, taking: bool, stride: int) -> None:
    where = _where(ground)
    edit = _EDITS[name]
    path = Path(edit.path(where))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if taking:
        edit.put(where)
    before = path.read_bytes()
    calls = _calls(ground, edit.verbs[taking])
    wanted = path.read_bytes()
    assert wanted != before
    for call, number in calls[::stride]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if taking:
            edit.put(where)
        else:
            edit.take(where)
        outcome.count("kills", _killed_at(ground, edit.verbs[taking], call, number))
        for lock in (*ground.home.glob(".c*/*.lock"), *ground.project.glob("**/*.lock")):
            lock.unlink()
        after = path.read_bytes()
        kind = "old" if after == before else "new" if after == wanted else "torn"
        what = f"{name}, {'out' if taking else 'in'}, {call} {number}"
        outcome.count(kind)
        outcome.expect(kind != "torn", f"{what}: {after!r}")
        edit.put(where)
        if path.read_bytes() == data:
            outcome.count("not completed")
            outcome.fail(f"{what}: the next run did not complete it")
        edit.take(where)
        if path.read_bytes() != data:
            outcome.count("not given back")
            outcome.fail(f"{what}: {path.read_bytes()!r}")
    path.unlink()


def _calls(ground: Ground, verb: tuple[str, ...]) -> list[tuple[str, int]]:
    """The changing calls of a verb that runs to its end, each with its number among those of its name and process."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for line in _traced(ground, verb, []).splitlines():
        process, _, rest = line.partition(" ")
        call = rest.strip().partition("(")[0]
        if call in CHANGING:
            seen[process, call] += 1
            found.append((call, seen[process, call]))
    return sorted(set(found), key=found.index)


def _killed_at(ground: Ground, verb: tuple[str, ...], call: str, number: int) -> bool:
    """Whether the verb came to that call; strace counts the calls of each name apart."""
    return "killed by SIGKILL" in _traced(ground, verb, ["-e", f"inject={call}:signal=KILL:when={number}"])


def _traced(ground: Ground, verb: tuple[str, ...], inject: list[str]) -> str:
    log = ground.base / "strace.log"
    subprocess.run(
        ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=" + ",".join(CHANGING), *inject,
         ground.program.graymatter, *verb],
        cwd=ground.project, env=ground.env, capture_output=True, check=False,
    )  # fmt: skip
    return log.read_text(errors="replace")


def raced(ground: Ground, rounds: int, seed: int = 1) -> Outcome:
    """Rounds in which another program rewrites the file a few times while our entry goes in and out: its last edit is there
    afterwards, and where its writes did not undo ours, ours too."""
    outcome = Outcome()
    for name in ("rounds", "edits of the other program", "lost", "left to the other program"):
        outcome.count(name, 0)
    where = _where(ground)
    (client,) = chosen("cursor", (), antigravity=False)
    path = Path(client.path(where))
    path.parent.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    rival = subprocess.Popen(
        [sys.executable, "-c", _RIVAL, str(path), str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert rival.stdin
    assert rival.stdout
    with rival:
        for number in range(rounds):
            rival.stdin.write(f"{chance.randint(1, 8)}\n")
            rival.stdin.flush()
            report = (unregister if number % 2 else register)(client, where)
            last = int(rival.stdout.readline())
            held = json.loads(path.read_bytes())
            outcome.count("rounds")
            outcome.figures["edits of the other program"] = last
            outcome.count("left to the other program", report.refused)
            if report.refused and report.reason != "changed_underneath":
                outcome.fail(f"round {number}: {report.message}")
            if held.get("theirs") != last:
                outcome.count("lost")
                outcome.fail(f"round {number}: edit {last} is gone, {held.get('theirs')} is there")
        rival.stdin.close()
    outcome.expect(os.listdir(path.parent) == [path.name], f"files left: {os.listdir(path.parent)}")
    return outcome


def side_by_side(ground: Ground, rounds: int) -> Outcome:
    """Two of our own commands at one file at once: both edits are in it."""
    outcome = Outcome()
    path = ground.project / ".claude" / "settings.local.json"
    command = (
        [ground.program.graymatter, "hooks", "install"],
        [ground.program.graymatter, "init", "--mcp", "--allow-tools"],
    )
    for number in range(rounds):
        ground.cli("uninstall", "--force")
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"model": "opus"}\n')
        runs = [
            subprocess.Popen(
                each, cwd=ground.project, env=ground.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            for each in command
        ]
        said = [run.communicate()[1].decode() for run in runs]
        held = json.loads(path.read_bytes())
        outcome.count("rounds")
        both = len(held.get("hooks", ())) == 4 and held.get("permissions") == {"allow": [f"mcp__{NAME}"]}
        outcome.expect(both and held.get("model") == "opus", f"round {number}: {held}, {said}")
    return outcome


def _where(ground: Ground) -> Where:
    return Where(str(ground.project), str(ground.user_dir), str(ground.home))
