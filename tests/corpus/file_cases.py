"""Runs settings and instructions cases: one command on one user's file, again, and its undoing."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.corpus import mounts, traced
from tests.corpus.cases import Case, MachineLacks, NotRun, generated
from tests.corpus.file_seen import FileScene, FileState, SeenFile, Step, names_in, ours, parsed
from tests.corpus.file_setup import PREPARE, SETUP, arrange, prepare
from tests.corpus.launch import Ran, Surroundings, run
from tests.corpus.vocabulary import AGAIN, EXPECT, REMOVED, REPORTED
from tests.corpus.words import Words
from tests.corpus.world import World

_LIMIT_S = 20.0
_TRIES = 3
NEEDS: Words[Callable[[Path], bool]] = Words("needs")


@dataclass(frozen=True)
class Action:
    """The verb of an action, how to undo it, and where each target's file lies (below project or {home})."""

    do: tuple[str, ...]
    undo: tuple[str, ...]
    places: dict[str, str]
    missing: str
    verb: tuple[str, ...]


ACTIONS = {
    "hooks_install": Action(
        ("hooks", "install"), ("hooks", "uninstall"), {"claude-settings": ".claude/settings.local.json"},
        "this program installs no hooks", ("hooks", "install"),
    ),
    "init_mcp": Action(
        ("init", "--skip-instructions", "--only"), ("uninstall", "--only"),
        {
            "mcp-json": ".mcp.json", "vscode-mcp": ".vscode/mcp.json", "opencode-jsonc": "opencode.jsonc",
            "codex-toml": "{home}/.codex/config.toml",
        },
        "this program wires no clients", ("uninstall",),
    ),
    "context_sync": Action(
        ("context-sync",), ("context-sync", "--remove"), {"instructions": "CLAUDE.md"},
        "this program has no context-sync", ("context-sync",),
    ),
}  # fmt: skip
_CLIENTS = {"mcp-json": "claudecode", "vscode-mcp": "vscodecopilot", "opencode-jsonc": "opencode", "codex-toml": "codex"}
_FACT, _OLD_FACT = "A fact of today", "An older fact"


def fill(world: World) -> None:
    """The template: a prepared project without a wired client."""
    world.done("init", "--store-only")


def fill_with_fact(world: World) -> None:
    """The template of instructions cases: such a project, with something for a block to hold."""
    fill(world)
    world.done("remember", _FACT)


def judge(case: Case, world: World) -> list[str]:
    """Every problem of one case; NotRun if machine or program lacks what it needs."""
    words = case.section("setup")
    steps = list(case.entry.get("prepare") or [])
    needs = [case.entry["needs"]] if "needs" in case.entry else []
    problems = EXPECT.unknown(case.expect) + SETUP.unknown(words) + NEEDS.unknown(needs)
    problems += PREPARE.unknown([step.partition(":")[0] for step in steps])
    action = ACTIONS.get(case.entry["action"])
    if action is None or case.entry["target"] not in action.places:
        problems.append(f"action {case.entry['action']!r} on {case.entry['target']!r} is not known")
    if problems or action is None:
        return problems
    if not all(NEEDS[need](world.base) for need in needs):
        raise MachineLacks(f"needs {needs[0]}")
    if not world.program.has_verb(*action.verb):
        raise NotRun(action.missing)
    for _ in range(_TRIES if "max_seconds" in case.expect else 1):
        world.restore()
        problems = EXPECT.judge(case.expect, _observe(case, action, words, steps, world))
        if not any(problem.startswith("max_seconds") for problem in problems):
            break
    return problems


@NEEDS("case_insensitive_fs")
def _case_insensitive(base: Path) -> bool:
    (base / "Probe").touch()
    return (base / "probe").exists()


def _observe(case: Case, action: Action, words: dict[str, object], steps: list[str], world: World) -> SeenFile:
    if case.kind == "instructions":
        for fact in case.entry.get("store") or []:
            world.done("remember", world.expand(fact))
        world.extra_tokens = _bodies(case, world)
    place = action.places[case.entry["target"]].replace("{home}", str(world.home))
    scene = FileScene(world, case.entry["target"], world.project / place, None)
    command = _command(action.do, scene, case)
    fresh = _fresh_entries(command, scene) if "entries_as_fresh_install" in case.expect else {}
    arrange(words, scene, _bytes(case, world))
    prepare(steps, scene, lambda: _install(command, scene))
    folders = _watched(case, scene)
    names_before, before = names_in(folders), FileState.of(scene.path)
    ran = _run(command, scene)
    seen = SeenFile(
        case=case, scene=scene, before=before, after=FileState.of(scene.path), ran=ran, names_before=names_before,
        names_after=names_in(folders), real_after=_contents(scene.real), fresh=fresh,
    )  # fmt: skip
    if scene.kill:
        seen.torn = traced.torn_states(command, scene, before, seen.after)
    if AGAIN & set(case.expect):
        seen.again = Step(_run(command, scene), FileState.of(scene.path))
    if REMOVED & set(case.expect):
        seen.removed = Step(_run(_command(action.undo, scene, case), scene), FileState.of(scene.path))
    mounts.undo_mounts(world.top)
    return seen


def _bodies(case: Case, world: World) -> dict[str, str]:
    """What this program's block holds now, and what it held when the store was another one's; as far as the case asks."""
    asked = case.data() + json.dumps(case.expect).encode()
    tokens = {}
    if b"@@BODY@@" in asked:
        tokens["@@BODY@@"] = _body(world, world.project, world.home)
    if b"@@OLDBODY@@" in asked:
        project, home = world.base / "before" / "project", world.base / "before" / "home"
        if not home.exists():
            project.mkdir(parents=True)
            home.mkdir()
            world.done("init", "--store-only", cwd=project, home=home)
            world.done("remember", _OLD_FACT, cwd=project, home=home)
        tokens["@@OLDBODY@@"] = _body(world, project, home)
    return tokens


def _body(world: World, project: Path, home: Path) -> str:
    told = world.done("context-sync", "--file", "NONE.md", "--dry-run", "--json", cwd=project, home=home)
    lines: list[str] = json.loads(told)["block"].split("\n")
    return "\n".join(lines[1:-1])


def _command(verb: Sequence[str], scene: FileScene, case: Case) -> list[str]:
    command = [scene.world.program.graymatter, *verb]
    if scene.target == "instructions":
        command += ["--file", case.section("setup").get("name", scene.path.name)]
    elif scene.target != "claude-settings":
        command.append(_CLIENTS[scene.target])
    return command + (["--json"] if REPORTED & set(case.expect) else [])


def _run(command: Sequence[str], scene: FileScene) -> Ran:
    around = Surroundings(drop_rights=scene.drop_rights)
    world = scene.world
    if scene.race:
        return traced.raced(command, scene)
    if scene.parallel == 1:
        return run(command, world.env(), world.project, (), around, _LIMIT_S)
    runs: list[Ran] = []
    starters = [
        threading.Thread(target=lambda: runs.append(run(command, world.env(), world.project, (), around, _LIMIT_S)))
        for _ in range(scene.parallel)
    ]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    return max(runs, key=lambda ran: ran.status)


def _install(command: Sequence[str], scene: FileScene) -> None:
    ran = run(command, scene.world.env(), scene.world.project)
    assert ran.status == 0, f"the install that prepares the case failed: {ran.errors[-300:]}"


def _fresh_entries(command: Sequence[str], scene: FileScene) -> dict[str, list[list[dict[str, object]]]]:
    scene.path.parent.mkdir(parents=True, exist_ok=True)
    _install(command, scene)
    entries = ours(parsed(scene.path.read_bytes()))
    scene.world.restore()
    return entries


def _bytes(case: Case, world: World) -> bytes:
    if "gen" in case.entry:
        return b"".join(generated(case.entry["gen"], world.tokens()))
    data = case.data()
    if case.kind == "settings":
        return world.expand_json(data)
    for token, value in world.tokens().items():
        data = data.replace(token.encode(), value.encode())
    return data


def _contents(path: Path | None) -> bytes | None:
    return path.read_bytes() if path is not None and path.is_file() and not path.is_symlink() else None


def _watched(case: Case, scene: FileScene) -> list[Path]:
    named = [scene.world.project / folder for folder in case.expect.get("no_stray_files_in") or []]
    backups = scene.world.user_dir / "backups"
    return list(dict.fromkeys([scene.path.parent, scene.world.project, scene.world.home, backups, *named]))
