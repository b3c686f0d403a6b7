"""P4: whatever arrives on stdin, the status is 0 and stdout is empty or one valid answer."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator

from gmhooks.hooks.main import Run
from gmhooks.hooks.route import RouteError
from gmhooks.hooks.wire import Event, WireError, decode
from tests.corpus.answers import problems_of
from tests.faults.corrupt import fill
from tests.faults.ground import EVENTS, Ground
from tests.faults.outcome import Outcome

_WORDS = {
    "session-start": "SessionStart", "user-prompt": "UserPromptSubmit",
    "pre-compact": "PreCompact", "session-end": "SessionEnd",
}  # fmt: skip
_TOKENS = (
    "remember:", "remember shared:", "forget:", "memory off", "memory on", "<private>", "</private>", "```", "~~~", "> ",
    "</graymatter-memory>", "[GrayMatter hook recall ran", "\u2028", "\x00", "\ud800", "：", "**", "?", "\r\n", "   ", "🏳️‍🌈",
    "relay of the harbour", "weekday", "{", "}", "\\u0000", "NaN", "1e999", "[" * 40, '"' * 3, "\x1b[31m", "a" * 300,
)  # fmt: skip
_VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    [],
    {},
    "",
    "x",
    ["remember: y"],
    {"type": "text", "text": "z"},
    "/",
    "../..",
)


def stdins(ground: Ground, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """(event word, bytes) without end: valid payloads, changed in every way from a value to a bit."""
    bases = [json.dumps(ground.payload(event, "remember: x\n\nwhich relay of the harbour?")) for event in EVENTS]
    while True:
        kind = rng.randrange(8)
        word, base = rng.choice(list(zip(_WORDS, bases, strict=True)))
        if rng.randrange(16) == 0:
            word = rng.choice(list(_WORDS))  # a payload of another event
        given = json.loads(base)
        given["session_id"] = f"f{rng.randrange(2000)}"
        if kind <= 2:
            given["prompt"] = "\n".join(
                "".join(rng.choice(_TOKENS) for _ in range(rng.randrange(6))) for _ in range(rng.randrange(5))
            )
        elif kind == 3:
            for _ in range(rng.randrange(1, 4)):
                given[rng.choice([*given, "transcript_path", "prompt_id", "user_prompt", "agent_type"])] = rng.choice(
                    _VALUES
                )
        data = json.dumps(given, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
        if kind >= 4:
            data = _torn(data, kind, rng)
        yield word, data


def _torn(data: bytes, kind: int, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    if kind == 4:
        return data[:at]
    if kind == 5:
        changed = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    if kind == 6:
        end = min(len(data), at + rng.randrange(1, 80))
        return data[:end] + data[at:end] * rng.randrange(1, 50) + data[end:]
    piece = rng.choice(_TOKENS).encode("utf-8", "surrogatepass")
    return rng.choice((b"", b"\xef\xbb\xbf", b"\xff\xfe")) + data[:at] + piece + data[at:]


def through_the_command(ground: Ground, number: int, seed: int = 1) -> Outcome:
    """Fuzzed stdins through the installed launcher, and each once more on the shim alone."""
    outcome = Outcome()
    for name in ("runs", "runs on the shim", "answers", "deaths on the shim"):
        outcome.count(name, 0)
    fill(ground)
    source = stdins(ground, random.Random(seed))
    for _ in range(number):
        word, data = next(source)
        for bare in (False, True):
            done = ground.raw(word, _WORDS[word], data, bare=bare)
            outcome.count("runs on the shim" if bare else "runs")
            outcome.count("answers", bool(done.out))
            if bare and done.status < 0:
                outcome.count("deaths on the shim")
                outcome.count(f"signal {-done.status} on the shim")
                continue
            for problem in done.problems:
                outcome.fail(f"{word} {data[:80]!r}: {problem}")
    return outcome


def in_process(ground: Ground, number: int, seed: int = 2) -> Outcome:
    """Fuzzed stdins through the same code without a process around it; session ends start nothing here."""
    outcome = Outcome()
    fill(ground)
    before = dict(os.environ)
    os.environ["GRAYMATTER_CLOCK"] = "@1800000000"
    source = stdins(ground, random.Random(seed))
    try:
        for done in range(number):
            word, data = next(source)
            if word == "session-end":
                word = "user-prompt"
            _answer(ground, outcome, word, data)
            if done % 20_000 == 19_999:
                ground.restore()
    finally:
        os.environ.clear()
        os.environ.update(before)
    return outcome


def _answer(ground: Ground, outcome: Outcome, word: str, data: bytes) -> None:
    outcome.count("runs")
    try:
        event = Event(decode(data))
    except WireError:
        outcome.count("not JSON objects")
        return
    run = Run(word)
    event.name = run.event = event.name or word
    if event.name == "session-end":
        return
    try:
        out = run.respond(event, word, str(ground.user_dir))
    except (WireError, RouteError):
        outcome.count("refused")
        return
    except Exception as error:  # noqa: BLE001 - what is looked for
        outcome.fail(f"{word} {data[:120]!r}: {type(error).__name__} {error}")
        return
    outcome.count("answers", bool(out))
    for problem in problems_of(out, _WORDS[word]):
        outcome.fail(f"{word} {data[:120]!r}: {problem}")
