"""The programs that the hook is set beside do the hook's job: they answer with the fact that was asked for."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from benchmarks.hook_latency.__main__ import prepare
from benchmarks.hook_latency.cases import COMMON, LONG, SHORT
from benchmarks.hook_latency.concurrency import HOOKS, burst, crowd
from benchmarks.hook_latency.measure import Bench
from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.reads import postings
from benchmarks.hook_latency.rivals import NAMES, Rival
from benchmarks.hook_latency.rounds import InvalidRun
from benchmarks.scale import overlap, prompts
from gmhooks.hooks.prompt import MOST_TERMS
from gmhooks.text.tokens import query_terms, terms

pytestmark = pytest.mark.xdist_group("rivals")
FACTS = 300


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    options = argparse.Namespace(install=False, quick=True, rounds=None, facts=[FACTS], instructions_only=False)
    return prepare(tmp_path_factory.mktemp("bench"), options)


def _context(sample: Sample) -> str:
    context: str = json.loads(sample.stdout)["hookSpecificOutput"]["additionalContext"]
    return context


@pytest.mark.parametrize("name", NAMES)
def test_a_rival_finds_the_fact_that_the_prompt_was_made_of(name: str, bench: Bench) -> None:
    (rival,) = [each for each in bench.rivals[FACTS] if each.name == name]
    for number in range(5):
        sample = run(rival.command(number, bench.scratch))

        rival.check(sample)
        lines = _context(sample).splitlines()
        asked = set(str(rival.case.payload(number)["prompt"]).split()) - {"where", "is"}
        assert len(lines) <= 3
        assert any(asked <= set(line.lower().split()) for line in lines)


def test_a_rival_that_says_nothing_is_not_timed(bench: Bench) -> None:
    rival: Rival = bench.rivals[FACTS][0]
    with pytest.raises(InvalidRun, match="full scan"):
        rival.check(Sample(0.1, 0.1, 0, b""))


def test_postings_read_are_those_of_the_prompts_terms(bench: Bench) -> None:
    asked = query_terms(str(bench.case(SHORT).payload(0)["prompt"]), MOST_TERMS)
    held = [set(terms(text)) for text in bench.main.texts + bench.main.shared]

    assert postings(bench.case(SHORT), range(1)) == [sum(term in each for term in set(asked) for each in held)]


def test_eight_hooks_beside_four_writers_lose_nothing(bench: Bench) -> None:
    found = crowd(bench.case(SHORT), bench.case("user-prompt remember"), bench.empty_program(), bench.scratch, 1)

    assert (len(found.hooks), len(found.empty)) == (HOOKS, HOOKS)
    assert found.saved == found.stored >= 4


def test_a_burst_tells_of_every_process_that_did_not_do_its_work(tmp_path: Path) -> None:
    stdin = tmp_path / "stdin"
    stdin.write_bytes(b"")

    def check(sample: Sample) -> None:
        if sample.status != 0 or sample.stdout != b"yes":
            raise InvalidRun(f"status {sample.status}")

    commands = [Command(("/bin/sh", "-c", f"printf yes; exit {status}"), {}, tmp_path, stdin) for status in (0, 3, 0)]
    walls, wrong = burst(commands, check)

    assert (len(walls), wrong) == (3, ["status 3"])


def test_where_everything_is_read_both_ways_find_the_same(bench: Bench) -> None:
    for kind in (SHORT, COMMON, LONG):
        assert overlap(bench.main, prompts(bench.main, kind, 5)).share == 1
