"""Runs hook-stdin cases: through the installed launcher, then on the shim without it, then a healthy session start."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.corpus.answers import answer, fact_lines
from tests.corpus.cases import Case, generated
from tests.corpus.hook_seen import Seen
from tests.corpus.hook_words import EXPECT, NEEDS_AFTER
from tests.corpus.launch import Ran, run
from tests.corpus.states import faulty
from tests.corpus.surroundings import RUN, Scene, scene
from tests.corpus.world import ELSEWHERE_MARK, PINNED, World, tree

_HOOK_LIMIT_S = 20.0
_TRIES = 3


def fill(world: World) -> None:
    """The template: an initialised, trusted project with one pinned fact, and stores made elsewhere around it."""
    world.done("init", "--hooks")
    world.done("remember", PINNED)
    world.done("pin", PINNED)
    elsewhere = world.base / "elsewhere"
    elsewhere.mkdir()
    for folder in (world.outer, world.top, world.home):
        text = f"{PINNED} {ELSEWHERE_MARK}"
        world.done("init", "--store-only", cwd=folder, home=elsewhere)
        world.done("remember", text, cwd=folder, home=elsewhere)
        world.done("pin", text, cwd=folder, home=elsewhere)


def judge(case: Case, world: World) -> list[str]:
    """Every problem of one case; NotRun if this machine cannot set it up."""
    words = case.section("run")
    problems = EXPECT.unknown(case.expect) + RUN.unknown(words)
    if problems:
        return problems
    for _ in range(_TRIES if "max_ms" in case.expect else 1):
        problems = _through_launcher(case, words, world)
        if not any(problem.startswith("max_ms") for problem in problems):
            break
    return problems + _on_shim(case, words, world)


def _through_launcher(case: Case, words: dict[str, Any], world: World) -> list[str]:
    world.restore()
    command = _command(world, case.entry["event"])
    if not command:
        return ["no installed hook of ours in the settings file"]
    seen = _observe(case, scene(words, world), command, world)
    return EXPECT.judge(case.expect, seen) + list(_general(case, seen)) + _healthy(world)


def _on_shim(case: Case, words: dict[str, Any], world: World) -> list[str]:
    world.restore()
    command = _command(world, case.entry["event"])
    bare = _without_launcher(command)
    if not bare:
        return ["without the launcher: it does not start an interpreter on a shim"]
    made = scene(words, world)
    with faulty(world, made.store_state):
        ran = _start(case, made, bare, world)
    problems = [] if ran.status == 0 else [f"without the launcher: status {ran.status}: {ran.errors[-200:]}"]
    if ran.timed_out:
        problems.append("without the launcher: did not end")
    unexpected = [line for line in world.receipts() if line.get("code") == "unexpected"]
    return problems + [f"without the launcher: receipt {line}" for line in unexpected]


def _observe(case: Case, made: Scene, command: list[str], world: World) -> Seen:
    before, store_before = tree(world.top), _digest(world)
    with faulty(world, made.store_state):
        if made.store_state:
            before, store_before = tree(world.top), _digest(world)
        runs = [_start(case, made, command, world) for _ in range(made.times)]
        seen = Seen(world, case.entry["event"], runs, before, tree(world.top), world.receipts())
        seen.store_changed = store_before != _digest(world)
        seen.spool_bytes = b"".join(path.read_bytes() for path in sorted((world.store / "spool").glob("*")))
    seen.saved = [fact for fact in world.facts() if not _is_pinned(fact)]
    for word in case.expect:
        if word in NEEDS_AFTER:
            NEEDS_AFTER[word](seen, command, world)
    return seen


def _start(case: Case, made: Scene, command: list[str], world: World) -> Ran:
    payload = _payload(case, world)
    if made.pieces:
        whole = b"".join(payload)
        made.around.chunk_bytes = max(1, -(-len(whole) // made.pieces))
        payload = [whole]
    return run(command, made.env, made.cwd, payload, made.around, _HOOK_LIMIT_S)


def _payload(case: Case, world: World) -> Iterable[bytes]:
    gen = case.entry.get("gen")
    if gen:
        escaped = {token: json.dumps(value)[1:-1] for token, value in world.tokens().items()}
        return generated(gen, escaped)
    return [world.expand_json(case.data())]


def _command(world: World, event: str) -> list[str]:
    commands = world.commands()
    if event in commands or not commands:
        return commands.get(event, [])
    return [next(iter(commands.values()))[0], event]


def _without_launcher(command: list[str]) -> list[str]:
    if not command:
        return []
    try:
        lines = Path(command[0]).read_text(encoding="utf-8").splitlines()
        start = shlex.split(lines[2].partition('"$@"')[0])
    except (OSError, ValueError, IndexError):
        return []
    return [*start, *command[1:]] if len(start) >= 4 else []


def _healthy(world: World) -> list[str]:
    command = world.commands()["SessionStart"]
    payload = {
        "session_id": "healthy",
        "cwd": str(world.project),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    ran = run(command, world.env(), world.project, [json.dumps(payload).encode()], limit_s=_HOOK_LIMIT_S)
    if PINNED in fact_lines(answer(ran.out).context):
        return []
    return [f"a healthy session start afterwards does not show the pinned fact: {ran.text[-200:]!r}"]


def _general(case: Case, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if ran.timed_out:
            yield f"did not end within {_HOOK_LIMIT_S:.0f} s"
        if "Traceback" in ran.errors:
            yield f"traceback on stderr: {ran.errors[-200:]!r}"
        if ELSEWHERE_MARK in ran.text:
            yield "a fact of a store made elsewhere was shown"
    if any(line.get("code") == "unexpected" for line in seen.receipts):
        yield f"receipt `unexpected`: {[line for line in seen.receipts if line.get('code') == 'unexpected']}"


def _is_pinned(fact: dict[str, Any]) -> bool:
    return bool(fact["text"] == PINNED)


def _digest(world: World) -> str:
    data = world.store / "gray.mdb"
    return hashlib.sha256(data.read_bytes()).hexdigest() if data.is_file() else ""
