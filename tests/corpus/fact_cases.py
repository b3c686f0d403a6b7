"""Runs facts cases: a text arrives on one path, is stored or refused, and is shown by the next session start."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.corpus.answers import answer
from tests.corpus.cases import Case, NotRun
from tests.corpus.fact_seen import Rendered, SeenFact
from tests.corpus.fact_words import EXPECT, RENDER
from tests.corpus.launch import Ran, run
from tests.corpus.mcp_client import add_memory
from tests.corpus.words import Words
from tests.corpus.world import World, replaced, tree

_SESSION = "corpus-facts"
_AGENT_FACT = "a fact of the agent with a delicate name"
_CLI_WITH_NUL = (
    "import json, sys; from gmhooks.cli.main import main; sys.exit(main(json.loads(sys.stdin.buffer.read())))"
)
Arrival = Callable[[str, World], Ran]
VIA: Words[Arrival] = Words("via")
SURFACES: Words[Callable[[World], Rendered]] = Words("surface")


def fill(world: World) -> None:
    """The template: an initialised, trusted, empty project."""
    world.done("init", "--hooks")


def judge(case: Case, world: World) -> list[str]:
    """Every problem of one case; NotRun if this program lacks the path or the surface."""
    expect = dict(case.expect)
    rules = expect.pop("render", {})
    surface = case.entry.get("surface", "hook")
    problems = EXPECT.unknown(expect) + RENDER.unknown(rules)
    problems += VIA.unknown([case.entry["via"]]) + SURFACES.unknown([surface])
    if problems:
        return problems
    world.restore()
    text = replaced("".join(json.loads(case.data())["parts"]), world.tokens())
    seen = _arrive(case, text, world)
    problems = EXPECT.judge(expect, seen)
    if rules and not problems:
        rendered = SURFACES[surface](world)
        problems = [f"render {problem}" for problem in RENDER.judge(rules, rendered, seen)]
        if "lines" not in rules and "count" not in rules and len(rendered.lines) != 1:
            problems.append(f"render: expected exactly one line for the fact, got {rendered.lines or rendered.text!r}")
    return [problem.partition(":")[0] for problem in problems] if case.cat == "secret" else problems


def _arrive(case: Case, text: str, world: World) -> SeenFact:
    before = tree(world.top)
    ran = VIA[case.entry["via"]](text, world)
    return SeenFact(
        world=world, text=text, via=case.entry["via"], ran=ran, before=before, after=tree(world.top),
        facts=world.facts(), receipts=world.receipts(),
    )  # fmt: skip


def _hook(world: World, event: str, payload: dict[str, object]) -> Ran:
    body = {"session_id": _SESSION, "cwd": str(world.project), "hook_event_name": event, **payload}
    command = world.commands()[event]
    return run(command, world.env(), world.project, [json.dumps(body).encode()])


@VIA("remember")
def _by_prompt(text: str, world: World) -> Ran:
    return _hook(world, "UserPromptSubmit", {"prompt": f"remember: {text}"})


@VIA("agent_id")
def _by_agent_id(text: str, world: World) -> Ran:
    words = ["remember", text, _AGENT_FACT]
    if "\0" not in text:
        return run([world.program.graymatter, *words], world.env(), world.project)
    return run(world.program.inside(_CLI_WITH_NUL), world.env(), world.project, [json.dumps(words).encode()])


@VIA("mcp", "memory_add")
def _by_model(text: str, world: World) -> Ran:
    if not world.program.has_verb("mcp", "serve"):
        raise NotRun("this program has no MCP server")
    return add_memory([world.program.graymatter, "mcp", "serve"], world.env(), world.project, text)


@VIA("transcript")
def _in_transcript(text: str, world: World) -> Ran:
    path = world.tmp / "transcript.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in _conversation(text)))
    place = {"transcript_path": str(path)}
    _hook(world, "UserPromptSubmit", {**place, "prompt": "what does the log say?"})
    _hook(world, "PreCompact", {**place, "trigger": "manual"})
    return _hook(world, "SessionEnd", {**place, "reason": "other"})


def _conversation(text: str) -> list[dict[str, object]]:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    return [
        {"type": "user", "message": {"role": "user", "content": "what does the log say?"}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": text}},
    ]


@SURFACES("hook")
def _session_start(world: World) -> Rendered:
    command = world.commands()["SessionStart"]
    body = {
        "session_id": "next",
        "cwd": str(world.project),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    ran = run(command, world.env(), world.project, [json.dumps(body).encode()])
    return Rendered.of_hook(ran.out, answer(ran.out).context)


@SURFACES("managed_block")
def _managed_block(world: World) -> Rendered:
    if not world.program.has_verb("context-sync"):
        raise NotRun("this program has no context-sync")
    target = world.project / "CLAUDE.md"
    ran: subprocess.CompletedProcess[str] = world.cli("context-sync", "--file", target.name)
    return Rendered.of_block(Path(target).read_bytes() if ran.returncode == 0 else b"")
