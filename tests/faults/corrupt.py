"""P5 and P6: twelve kinds of damage to the data file, met by the installed hooks; then the repair."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable

from gmhooks.hooks.tame import tame
from gmhooks.store.salvage import salvage
from tests.faults.ground import Ended, Ground
from tests.faults.judge import Judge, judge
from tests.faults.outcome import Outcome

PAGE = 4096
_QUESTION = "Which relay of the harbour number {n} is calibrated on which weekday?"
_FACTS = 80

_FILLER = """
import json, sys
from gmhooks.store.facts import add, pin
from gmhooks.store.namespaces import ensure
from gmhooks.store.writer import run
def work(store):
    ns = ensure(store, "project")
    for n, text in enumerate(json.load(sys.stdin)):
        fact = add(store, ns, text, 1_700_000_000_000_000 + n, 0)
        if n % 10 == 0:
            pin(store, fact, 1)
run(sys.argv[1], work, True)
"""

Mutator = Callable[[bytearray, random.Random], object]


def facts() -> list[str]:
    """What the store holds before it is damaged; some longer than a page."""
    return [
        f"Relay {n} of the harbour is calibrated on weekday {n % 7}" + (" with care" * 380 if n % 16 == 0 else "")
        for n in range(_FACTS)
    ]


def fill(ground: Ground) -> None:
    """Save them all, pin some, and keep that state."""
    command = ground.program.inside(_FILLER, str(ground.data))
    subprocess.run(command, input=json.dumps(facts()).encode(), env=ground.env, check=True)
    ground.keep()


def _pages(data: bytearray, rng: random.Random, count: int, first: int = 2) -> list[int]:
    return [at * PAGE for at in rng.sample(range(first, len(data) // PAGE), count)]


def _truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(1, len(data)) :]


def _cut_tail(data: bytearray, rng: random.Random) -> None:
    del data[-rng.randrange(1, min(40, len(data) // PAGE - 2)) * PAGE :]


def _bits(count: int, places: Callable[[bytearray, random.Random], int]) -> Mutator:
    def change(data: bytearray, rng: random.Random) -> None:
        for _ in range(count):
            data[places(data, rng)] ^= 1 << rng.randrange(8)

    return change


def _anywhere(data: bytearray, rng: random.Random) -> int:
    return rng.randrange(2 * PAGE, len(data))


def _header(data: bytearray, rng: random.Random) -> int:
    return _pages(data, rng, 1)[0] + rng.randrange(16)


def _meta(data: bytearray, rng: random.Random) -> int:
    return rng.randrange(2) * PAGE + rng.randrange(152)


def _zero_page(data: bytearray, rng: random.Random) -> None:
    (at,) = _pages(data, rng, 1)
    data[at : at + PAGE] = bytes(PAGE)


def _garbage_page(data: bytearray, rng: random.Random) -> None:
    (at,) = _pages(data, rng, 1)
    data[at : at + PAGE] = rng.randbytes(PAGE)


def _swap_pages(data: bytearray, rng: random.Random) -> None:
    a, b = _pages(data, rng, 2)
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def _copy_page(data: bytearray, rng: random.Random) -> None:
    a, b = _pages(data, rng, 2)
    data[a : a + PAGE] = data[b : b + PAGE]


def _random_file(data: bytearray, rng: random.Random) -> None:
    data[:] = rng.randbytes(len(data))


def _text_file(data: bytearray, rng: random.Random) -> None:
    data[:] = b"this is no store\n" * rng.randrange(1, 4000)


KINDS: dict[str, Mutator] = {
    "truncated": _truncate,
    "tail cut": _cut_tail,
    "1 bit": _bits(1, _anywhere),
    "64 bits": _bits(64, _anywhere),
    "3 bits in headers": _bits(3, _header),
    "2 bits in a meta page": _bits(2, _meta),
    "page of zeros": _zero_page,
    "page of garbage": _garbage_page,
    "pages swapped": _swap_pages,
    "page copied": _copy_page,
    "random file": _random_file,
    "text file": _text_file,
}


def damage(ground: Ground, each: int, seed: int = 1) -> Outcome:
    """Each kind `each` times: a prompt, a session start or a save through the launcher, and the same on the shim alone."""
    outcome = Outcome()
    for name in (
        "runs",
        "runs on the shim",
        "status not 0",
        "wrong texts shown",
        "bytes changed by readers",
        "saves lost",
        "deaths on the shim",
    ):
        outcome.count(name, 0)
    fill(ground)
    known = {tame(text)[0] for text in facts()}
    whole = (ground.pristine / "gray.mdb").read_bytes()
    with judge() as looker:
        for kind, mutate in KINDS.items():
            for number in range(each):
                data = bytearray(whole)
                mutate(data, random.Random(f"{seed} {kind} {number}"))
                for bare in (False, True):
                    _trial(ground, looker, outcome, f"{kind} {number}", bytes(data), known, bare)
    return outcome


def _trial(
    ground: Ground, looker: Judge, outcome: Outcome, name: str, data: bytes, known: set[str], bare: bool
) -> None:
    number = int(name.rpartition(" ")[2])
    ground.restore()
    (ground.data / "gray.mdb").write_bytes(data)
    text = f"Saved during damage {name}"
    if number % 3 == 0:
        done = ground.hook("UserPromptSubmit", _QUESTION.format(n=number), bare=bare)
    elif number % 3 == 1:
        done = ground.hook("SessionStart", bare=bare)
    else:
        done = ground.hook("UserPromptSubmit", f"remember: {text}\n\n{_QUESTION.format(n=number)}", bare=bare)
    outcome.count("runs on the shim" if bare else "runs")
    _judge_run(outcome, name, done, known | {text}, bare)
    after = (ground.data / "gray.mdb").read_bytes()
    if number % 3 != 2:
        if after != data:
            outcome.count("bytes changed by readers")
            outcome.fail(f"{name}: a reader changed the damaged file")
    else:
        outcome.expect(bare or done.message, f"{name}: the user was not told what became of a save")
        _judge_save(ground, looker, outcome, name, text, data, after)


def _judge_run(outcome: Outcome, name: str, done: Ended, known: set[str], bare: bool) -> None:
    if bare and done.status < 0:
        outcome.count("deaths on the shim")
        outcome.count(f"signal {-done.status} on the shim")
        return
    for problem in done.problems:
        outcome.count("status not 0", done.status != 0)
        outcome.fail(f"{name}: {problem}")
    for line in done.facts:
        part, cut, _ = line.rpartition("…")
        if line not in known and not (cut and any(text.startswith(part) for text in known)):
            outcome.count("wrong texts shown")
            outcome.fail(f"{name}: shown {line[:80]!r}")


def _judge_save(
    ground: Ground, looker: Judge, outcome: Outcome, name: str, text: str, before: bytes, after: bytes
) -> None:
    """The text is in the store or the spool, after the repair in the store; and what could be saved before still can."""
    waits = any(text.encode() in path.read_bytes() for path in (ground.data / "spool").iterdir())
    outcome.count("saves that waited in the spool", waits)
    readable = {fact.text for fact in salvage(before).facts.values()}
    worse = readable - {fact.text for fact in salvage(after).facts.values()}
    if worse and not (readable <= _kept(ground)):
        outcome.fail(f"{name}: the save made {len(worse)} more facts unreadable")
    seen = looker.ask(ground.data, "repair", ground.user_dir)
    outcome.count("repairs")
    if seen.died or seen.problems or text not in seen.stored:
        outcome.count("saves lost")
        outcome.fail(
            f"{name}: after the repair signal {seen.died}, {seen.problems[:1]}, saved text there: {text in seen.stored}"
        )
    if not readable <= set(seen.stored):
        outcome.fail(f"{name}: the repair lost {len(readable - set(seen.stored))} readable facts")


def _kept(ground: Ground) -> set[str]:
    found: set[str] = set()
    for path in ground.data.glob("gray.mdb.damaged-*"):
        found |= {fact.text for fact in salvage(path.read_bytes()).facts.values()}
    return found
