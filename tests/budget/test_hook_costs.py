"""The installed hooks stay within their budgets: instructions, system calls, syncs, files, memory, modules."""

from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from benchmarks.hook_latency import counts, inside, measure, traces
from benchmarks.hook_latency.__main__ import prepare
from benchmarks.hook_latency.cases import COMPACT, END, LONG, REMEMBER, SHORT, START
from benchmarks.hook_latency.gates import LIMITS
from benchmarks.hook_latency.process import Command
from tests.budget.modules import BESIDE_THE_INTERPRETERS, BEYOND_ASCII, NEUTRAL, NEVER_IN_A_HOOK

# One worker measures: the projects take a minute to fill.
pytestmark = pytest.mark.xdist_group("budget")
needs_valgrind = pytest.mark.skipif(counts.absent() is not None, reason=str(counts.absent()))
needs_strace = pytest.mark.skipif(traces.absent() is not None, reason=str(traces.absent()))

INSTRUCTIONS = [name for name in LIMITS if name.startswith("instructions: ") and "100k" not in name]
SYSTEM_CALLS = [name for name in LIMITS if name.startswith(("remember: ", "prompt: "))]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> measure.Bench:
    """Projects with 1,000 and 10,000 facts, wired as `graymatter init --hooks` wires them."""
    options = argparse.Namespace(install=False, quick=True, rounds=None, facts=[1_000, 10_000], instructions_only=True)
    return prepare(tmp_path_factory.mktemp("bench"), options)


@pytest.fixture(scope="module")
def instructions(bench: measure.Bench) -> dict[str, float | None]:
    """Every instruction figure, by name."""
    measure.count_instructions(bench)
    return {figure.name: figure.value for figure in bench.figures}


@pytest.fixture(scope="module")
def observed(bench: measure.Bench) -> dict[str, float | None]:
    """Every figure that does not vary, by name."""
    measure.observe(bench)
    return {figure.name: figure.value for figure in bench.figures}


@needs_valgrind
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_stay_within_their_must(name: str, instructions: dict[str, float | None]) -> None:
    value = instructions[name]

    assert value is not None
    assert value <= LIMITS[name].must


@needs_strace
@pytest.mark.parametrize("name", SYSTEM_CALLS)
def test_syncs_and_writes_stay_within_their_must(name: str, observed: dict[str, float | None]) -> None:
    value = observed[name]

    assert value is not None
    assert value <= LIMITS[name].must


def test_the_memory_peak_stays_within_its_must(observed: dict[str, float | None]) -> None:
    (name,) = (name for name in LIMITS if name.startswith("memory peak"))
    value = observed[name]

    assert value is not None
    assert value <= LIMITS[name].must


@pytest.mark.parametrize("case", [SHORT, LONG, REMEMBER, START, COMPACT, END])
def test_a_hook_loads_exactly_the_listed_modules(case: str, bench: measure.Bench) -> None:
    chosen = bench.case(case)
    command = chosen.command(50_000, bench.scratch, launcher=False)
    own, sample = inside.hook(command)
    chosen.check(sample)
    ours, others = _beyond_the_empty_program(own, command)

    assert others == BESIDE_THE_INTERPRETERS[case]
    assert not ours & NEVER_IN_A_HOOK


def test_text_beyond_ascii_costs_one_module_more(bench: measure.Bench) -> None:
    short = bench.case(SHORT)

    def accented(number: int) -> dict[str, object]:
        return {**short.payload(number), "prompt": f"{short.payload(number)['prompt']} été"}

    command = replace(short, payload=accented).command(50_001, bench.scratch, launcher=False)
    own, _ = inside.hook(command)

    assert _beyond_the_empty_program(own, command)[1] == BESIDE_THE_INTERPRETERS[SHORT] | BEYOND_ASCII


def _beyond_the_empty_program(own: inside.Inside, command: Command) -> tuple[set[str], set[str]]:
    """(our modules, others) that the hook of `command` held and the empty program does not."""
    beyond = own.modules - inside.empty(command).modules - NEUTRAL
    ours = {name for name in beyond if name.partition(".")[0] == "gmhooks"}
    return ours, set(beyond - ours)
