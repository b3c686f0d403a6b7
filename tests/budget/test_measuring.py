"""The instruments of the benchmark read what they claim to read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.hook_latency.corpus import COMMON, LOG_WORDS, Corpus, word
from benchmarks.hook_latency.gates import LIMITS, failed, table, verdict
from benchmarks.hook_latency.results import Figure
from benchmarks.hook_latency.rounds import median_ratio, percentile
from benchmarks.hook_latency.stage import StageError, direct_command
from benchmarks.hook_latency.traces import read

LAUNCHER = """\
#!/bin/sh
trap 'exit 0' 0; exec 2>/dev/null
'/opt/my python/bin/python3' -I -S '/opt/it'"'"'s/shim.py' '--user-dir=/home/a b' "$@"; exit 0
"""

STRACE = """\
execve("/usr/bin/python3", 0x7ffc /* 4 vars */) = 0
openat(AT_FDCWD</p>, "gray.mdb", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3</p/gray.mdb>
openat(AT_FDCWD</p>, "gray.mdb", O_WRONLY|O_DSYNC|O_CLOEXEC) = 4</p/gray.mdb>
pwrite64(3</p/gray.mdb>, ""..., 4096, 8192) = 4096
fdatasync(3</p/gray.mdb>) = 0
pwrite64(4</p/gray.mdb>, ""..., 152, 0) = 152
close(4</p/gray.mdb>) = 0
openat(AT_FDCWD</p>, "hooks.log", O_WRONLY|O_APPEND) = 4</p/hooks.log>
write(4</p/hooks.log>, ""..., 80) = 80
write(1</dev/null>, ""..., 20) = -1 EPIPE (Broken pipe)
+++ exited with 0 +++
"""


def test_the_interpreters_command_line_is_taken_out_of_the_launcher_with_its_quoting() -> None:
    assert direct_command(LAUNCHER) == (
        "/opt/my python/bin/python3", "-I", "-S", "/opt/it's/shim.py", "--user-dir=/home/a b",
    )  # fmt: skip


def test_a_file_that_is_no_launcher_is_refused() -> None:
    with pytest.raises(StageError):
        direct_command("#!/bin/sh\nexit 0\n")


def test_a_trace_counts_calls_bytes_syncs_and_writes_on_synchronous_descriptors_only() -> None:
    trace = read(STRACE)

    assert trace.calls == Counter(openat=3, pwrite64=2, write=2, execve=1, fdatasync=1, close=1)
    assert trace.syncs == Counter(fdatasync=1)
    assert trace.synchronous_writes == 1
    assert trace.written_below(Path("/p")) == Counter({"gray.mdb": 4248, "hooks.log": 80})


def test_the_same_seed_gives_the_same_facts_prompts_and_transcript() -> None:
    first, second = Corpus(seed=9), Corpus(seed=9)

    assert list(first.facts(50)) == list(second.facts(50))
    assert first.log_prompt() == second.log_prompt()
    assert first.transcript(3) == second.transcript(3)


def test_facts_have_12_to_25_words_and_one_in_seven_is_shared() -> None:
    facts = list(Corpus().facts(700))

    assert {len(text.split()) for _, text in facts} == set(range(12, 26))
    assert sum(shared for shared, _ in facts) == 100


def test_prompts_are_of_their_kind() -> None:
    corpus = Corpus()
    fact = corpus.fact()
    frequent = {word(rank) for rank in range(COMMON)}

    assert len(set(corpus.short_prompt(fact).split()) & set(fact.lower().split())) >= 4
    assert corpus.short_prompt("The of redis") == "where is redis"
    assert len(set(corpus.common_prompt().split()) & frequent) == 6
    assert len(corpus.log_prompt().split()) == LOG_WORDS


def test_every_word_of_the_vocabulary_is_distinct() -> None:
    assert len({word(rank) for rank in range(100_000)}) == 100_000


def test_ratios_are_taken_pair_by_pair_and_percentiles_by_nearest_rank() -> None:
    assert median_ratio([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]) == 3.0
    assert [percentile(range(100), share) for share in (0.5, 0.99, 1.0)] == [50, 99, 99]


def test_a_figure_over_its_must_fails_and_so_does_one_that_could_not_be_measured() -> None:
    name = next(iter(LIMITS))
    limit = LIMITS[name]
    figures = [
        Figure(name, limit.aim, "E"),
        Figure(name, limit.must, "E"),
        Figure(name, limit.must + 0.01, "E"),
        Figure(name, None, "E", "no valgrind"),
        Figure("only reported", 99.0, "E"),
    ]

    assert [verdict(figure) for figure in figures] == [
        "aim met", "must met", "FAILED", "NOT MEASURED: no valgrind", "",
    ]  # fmt: skip
    assert failed(figures) == figures[2:4]
    assert len(table(figures).splitlines()) == 1 + len(figures)
