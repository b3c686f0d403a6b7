"""`python -m benchmarks.mcp_latency`: how soon the MCP server answers, and what a prompt and a search cost.

First answer: from the start of the process to the whole answer, as a ratio to an empty program (E) of the same interpreter
in the same round; beside it the same tools on the official SDK. Prompt: one of the same kind in its own session, through
the hidden tool of a running server and by a process of the command hook, as ratios to E in the same round. Search:
`memory_search` in one process, store opened and closed as a server does for each call, as CPU time, which other programs
disturb less, and by the clock. The server is new, so that these searches still meet words for the first time. Milliseconds
depend on how fast a shared machine happens to be, for a minute at a time: several new servers are asked in the course of the
run, and the quickest counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.hook_latency.cases import Case, every_case
from benchmarks.hook_latency.corpus import Corpus
from benchmarks.hook_latency.gates import Limit
from benchmarks.hook_latency.process import Command, run
from benchmarks.hook_latency.rounds import InvalidRun, median_ratio, percentile
from benchmarks.hook_latency.stage import Program, Stage, StageError, build, installed_copy
from gmhooks.mcp.hook_tool import FIELDS
from gmhooks.mcp.perform import perform
from gmhooks.mcp.place import Place
from gmhooks.mcp.tools import HOOK

LEAN, OLDER, SDK = "first answer", "first answer, 2025-11-25", "first answer of the SDK"
FAST, COMMAND = "prompt in fast mode", "prompt by command"
SEARCH, SEARCH_WALL = "memory_search", "memory_search, wall clock"
LIMITS = {LEAN: Limit(3, 3, "E"), OLDER: Limit(3, 3, "E"), SEARCH: Limit(1, 1, "ms")}
SDK_TIMES = 5
PASSES = 10
_DISCOVER = ("server/discover", {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}})  # fmt: skip
_INITIALIZE = ("initialize", {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"},
})  # fmt: skip
_ON_SDK = (
    "import anyio, os, sys; from gmhooks.mcp.place import Place; from gmhooks.mcp.sdk import serve_stdio; "
    "anyio.run(serve_stdio, Place(os.environb, sys.argv[1]))"
)


@dataclass(frozen=True)
class Figure:
    """One measured median and its 99th percentile, in `unit`."""

    name: str
    p50: float
    p99: float
    unit: str


class Server:
    """One server process on pipes."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: Path) -> None:
        self._process = subprocess.Popen(
            argv, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def prompt(self, payload: dict[str, object]) -> float:
        """Seconds until the hidden tool has answered a prompt. InvalidRun when it says nothing."""
        passed = {name: payload[name] for name in FIELDS}
        began = time.perf_counter()
        answer = self.ask("tools/call", {"name": HOOK, "arguments": passed})
        spent = time.perf_counter() - began
        if not any(part["text"] for part in answer["content"]):
            raise InvalidRun(f"{FAST}: no block for {payload['prompt']!r}")
        return spent

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request. InvalidRun when there is none."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._process.stdin.write(json.dumps(frame).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        found = json.loads(line).get("result") if line else None
        if not isinstance(found, dict):
            raise InvalidRun(f"{method}: {line[:300]!r}")
        return found

    def end(self) -> None:
        """Close its input and wait for it."""
        self._process.communicate()


def main(argv: list[str] | None = None) -> int:
    """Print the table; 0 done, 1 a must failed (with --gate), 3 it could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mcp_latency", description=__doc__)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=40, help="starts of each server, interleaved, at least one a pass")
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--gate", action="store_true", help="exit 1 when a must does not hold")
    options = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="gmhooks-mcp-") as folder:
            figures = measured(Path(folder), options.facts, options.rounds, options.searches)
    except (InvalidRun, StageError) as error:
        print(f"mcp_latency: {error}", file=sys.stderr)
        return 3
    for figure in figures:
        limit = LIMITS.get(figure.name)
        must = f"  must {limit.must:.0f} {limit.unit}" if limit else ""
        print(f"{figure.name:<26} p50 {figure.p50:7.2f} {figure.unit:<2} p99 {figure.p99:7.2f} {figure.unit:<2}{must}")
    wrong = failures(figures)
    for said in wrong:
        print(said)
    return 1 if wrong and options.gate else 0


def failures(figures: list[Figure]) -> list[str]:
    """What does not hold, a sentence each."""
    found = {figure.name: figure for figure in figures}
    missed = [(name, limit) for name, limit in LIMITS.items() if found[name].p50 > limit.must]
    wrong = [f"{name}: above {limit.must:.0f} {limit.unit}" for name, limit in missed]
    if found[SDK].p50 < SDK_TIMES * found[LEAN].p50:
        wrong.append(f"{SDK}: not even {SDK_TIMES} times ours, so the SDK could serve stdio too")
    return wrong


def measured(root: Path, facts: int, rounds: int, searches: int, passes: int = PASSES) -> list[Figure]:
    """All figures, on an installation and a store of their own below `root`."""
    program = installed_copy(root)
    stage = build(root, program, "project", facts)
    launcher = _registered(stage, program)
    user_dir = str(Path(launcher).parent)
    on_sdk = [str(program.python), "-c", _ON_SDK, user_dir]
    case = every_case(stage, Corpus(seed=9), root / "none.jsonl")[0]
    running = Server([launcher], stage.env, stage.project)
    running.ask(*_INITIALIZE)
    ways: dict[str, Callable[[int], float]] = {
        LEAN: lambda _: _first([launcher], stage.env, stage.project, _DISCOVER),
        OLDER: lambda _: _first([launcher], stage.env, stage.project, _INITIALIZE),
        SDK: lambda _: _first(on_sdk, {**stage.env, **program.env}, stage.project, _DISCOVER),
        FAST: lambda number: running.prompt(case.payload(2 * number)),
        COMMAND: lambda number: _by_command(case, 2 * number + 1, root),
        "E": lambda _: run(Command(stage.empty, stage.env, stage.project, Path(os.devnull))).wall_s,
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    found = []
    try:
        for numbers in _parts(rounds, passes):
            for name, spent in _in_turn(ways, numbers).items():
                taken[name] += spent
            found.append(_in_a_new_process(stage, user_dir, searches))
    finally:
        running.end()
    figures = []
    for name in (LEAN, OLDER, SDK, FAST, COMMAND):
        p99 = percentile((mine / empty for mine, empty in zip(taken[name], taken["E"], strict=True)), 0.99)
        figures.append(Figure(name, median_ratio(taken[name], taken["E"]), p99, "E"))
    for name, each in zip((SEARCH, SEARCH_WALL), zip(*found, strict=True), strict=True):
        quickest = min(each, key=statistics.median)
        figures.append(Figure(name, statistics.median(quickest), percentile(quickest, 0.99), "ms"))
    return figures


def _parts(rounds: int, passes: int) -> list[range]:
    """The numbers of the rounds, at least one, before each pass of searches; the first of each warms up."""
    borders = [part * (max(rounds, passes) + passes) // passes for part in range(passes + 1)]
    return [range(*border) for border in itertools.pairwise(borders)]


def _in_turn(ways: dict[str, Callable[[int], float]], numbers: range) -> dict[str, list[float]]:
    """Seconds of each way in each round, in a shuffled order, after a warm-up of each by the first number."""
    for way in ways.values():
        way(numbers[0])
    taken: dict[str, list[float]] = {name: [] for name in ways}
    shuffle, names = random.Random(numbers[0]), list(ways)
    for number in numbers[1:]:
        shuffle.shuffle(names)
        for name in names:
            taken[name].append(ways[name](number))
    return taken


def _by_command(case: Case, number: int, scratch: Path) -> float:
    """Seconds of the command hook on one prompt. InvalidRun when it prints nothing."""
    sample = run(case.command(number, scratch, launcher=True))
    case.check(sample)
    return sample.wall_s


def _registered(stage: Stage, program: Program) -> str:
    """The launcher that `init --mcp` writes and registers."""
    words = [str(program.python), "-m", "gmhooks", "init", "--mcp"]
    env = {**stage.env, **program.env}
    done = subprocess.run(words, env=env, cwd=stage.project, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StageError(f"init --mcp ended with {done.returncode}: {done.stderr}")
    entry = json.loads((stage.project / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["graymatter"]
    return str(entry["command"]).replace("${HOME}", str(stage.home))


def _first(argv: list[str], env: dict[str, str], cwd: Path, request: tuple[str, dict[str, Any]]) -> float:
    """Seconds from the start to the first answer."""
    began = time.perf_counter()
    server = Server(argv, env, cwd)
    try:
        server.ask(*request)
        return time.perf_counter() - began
    finally:
        server.end()


def _in_a_new_process(stage: Stage, user_dir: str, count: int) -> tuple[list[float], list[float]]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_searches, stage, user_dir, count).result()


def _searches(stage: Stage, user_dir: str, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each search, CPU and wall clock, about facts from all over the store. InvalidRun for one that finds
    nothing."""
    corpus = Corpus(seed=8)
    asked = [corpus.short_prompt(text) for text in stage.texts[:: max(1, len(stage.texts) // count)][:count]]
    place = Place({b"CLAUDE_PROJECT_DIR": os.fsencode(stage.project)}, user_dir)
    cpu, wall = [], []
    for query in (asked[0], *asked):
        began = time.process_time(), time.perf_counter()
        answer = perform(place, SEARCH, {"agent_id": stage.project.name, "query": query})
        cpu.append((time.process_time() - began[0]) * 1e3)
        wall.append((time.perf_counter() - began[1]) * 1e3)
        if answer.structured is None or not answer.structured["count"]:
            raise InvalidRun(f"nothing found for {query!r}: {answer.text}")
    return cpu[1:], wall[1:]


if __name__ == "__main__":
    raise SystemExit(main())
