"""The `expect` words of hook-stdin: one small function each, yielding what differs."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from typing import Any

from tests.corpus.answers import answer, fact_lines, problems_of
from tests.corpus.hook_seen import SecondRun, Seen
from tests.corpus.launch import run
from tests.corpus.states import store_problems
from tests.corpus.words import Words, as_list
from tests.corpus.world import PINNED, World

SAVED_ANYWAY = "survives the surroundings"
_DRAIN = "the next healthy save drains the spool"
EXPECT: Words[Callable[[Any, Seen], Iterator[str]]] = Words("expect")
NEEDS_AFTER: dict[str, Callable[[Seen, list[str], World], None]] = {}


@EXPECT("exit")
def _exit(value: int, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if ran.status != value:
            yield f"expected {value}, got {ran.status}: {ran.errors[-200:]!r}"


@EXPECT("stdout")
def _stdout(value: Any, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        for allowed in as_list(value):
            if allowed == "empty" and ran.out:
                yield f"expected nothing, got {ran.text[:200]!r}"
            elif allowed == "valid_or_empty":
                yield from problems_of(ran.out, seen.event)
            elif allowed not in ("empty", "valid_or_empty"):
                yield f"stdout {allowed!r} is not known"


@EXPECT("stderr_max")
def _stderr_max(value: int, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if len(ran.err) > value:
            yield f"expected at most {value} bytes, got {len(ran.err)}: {ran.errors[:200]!r}"


@EXPECT("no_traceback")
def _no_traceback(_value: bool, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if "Traceback" in ran.errors + ran.text:
            yield f"got one: {ran.errors[-200:]!r}"


@EXPECT("saved")
def _saved(value: list[str], seen: Seen) -> Iterator[str]:
    texts = _texts(seen.saved)
    if texts != value:
        yield f"expected {value}, got {texts}; receipts {seen.codes}"


@EXPECT("saved_one_of")
def _saved_one_of(value: list[list[str]], seen: Seen) -> Iterator[str]:
    texts = _texts(seen.saved)
    if texts not in value:
        yield f"expected one of {value}, got {texts}"


@EXPECT("saved_count")
def _saved_count(value: int, seen: Seen) -> Iterator[str]:
    if len(seen.saved) != value:
        yield f"expected {value}, got {len(seen.saved)}: {_texts(seen.saved)}"


@EXPECT("namespace")
def _namespace(value: str, seen: Seen) -> Iterator[str]:
    names = {fact["agent_id"] for fact in seen.saved}
    if names != {value}:
        yield f"expected {value}, got {sorted(names)}"


@EXPECT("saved_after_drain")
def _saved_after_drain(value: list[str], seen: Seen) -> Iterator[str]:
    texts = [text for text in _texts(seen.drained) if text != _DRAIN]
    if texts != value:
        yield f"expected {value}, got {texts}"


@EXPECT("nothing_lost")
def _nothing_lost(_value: bool, seen: Seen) -> Iterator[str]:
    kept = SAVED_ANYWAY in _texts(seen.saved) or SAVED_ANYWAY.encode() in seen.spool_bytes
    told = "not saved" in answer(seen.ran.out).message.casefold() and seen.codes
    if not kept and not told:
        yield f"neither in the store nor in the spool nor refused; receipts {seen.codes}, printed {seen.ran.text[:200]!r}"


@EXPECT("receipt")
def _receipt(value: Any, seen: Seen) -> Iterator[str]:
    for code in as_list(value):
        if code not in seen.codes:
            yield f"expected {code} in hooks.log, got {seen.codes}"


@EXPECT("receipt_optional")
def _receipt_optional(_value: bool, _seen: Seen) -> Iterator[str]:
    return iter(())


@EXPECT("receipt_if_not_saved")
def _receipt_if_not_saved(value: str, seen: Seen) -> Iterator[str]:
    if not seen.saved and value not in seen.codes:
        yield f"nothing saved and no {value} in hooks.log, only {seen.codes}"


@EXPECT("one_line_receipts")
def _one_line_receipts(_value: bool, seen: Seen) -> Iterator[str]:
    for line in seen.receipts:
        if "broken" in line:
            yield f"hooks.log holds a line that is not one JSON object: {line['broken'][:100]!r}"


@EXPECT("max_ms")
def _max_ms(value: int, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if ran.ms > value:
            yield f"expected at most {value}, took {ran.ms:.0f}"


@EXPECT("max_rss_mb")
def _max_rss(value: int, seen: Seen) -> Iterator[str]:
    for ran in seen.runs:
        if ran.rss_mb > value:
            yield f"expected at most {value}, used {ran.rss_mb:.0f}"


@EXPECT("creates_nothing")
def _creates_nothing(_value: bool, seen: Seen) -> Iterator[str]:
    ours = (f"{seen.world.store}/", f"{seen.world.user_dir}/")
    new = [path for path in seen.after if path not in seen.before and not path.startswith(ours)]
    if new:
        yield f"created {new}"


@EXPECT("writes_only_under")
def _writes_only_under(value: list[str], seen: Seen) -> Iterator[str]:
    allowed = tuple(seen.world.expand(folder) + "/" for folder in value)
    for path in sorted(set(seen.before) | set(seen.after)):
        if seen.before.get(path) != seen.after.get(path) and not path.startswith(allowed):
            yield f"wrote {path}"


@EXPECT("store_bytes_identical")
def _store_identical(_value: bool, seen: Seen) -> Iterator[str]:
    if seen.store_changed:
        yield "the data file changed"


@EXPECT("victim_unchanged")
def _victim(_value: bool, seen: Seen) -> Iterator[str]:
    victim = seen.world.home / "diary.txt"
    if victim.read_text() != "mine\n":
        yield "the file behind the link was written to"


@EXPECT("recall_works")
def _recall_works(_value: bool, seen: Seen) -> Iterator[str]:
    if PINNED not in fact_lines(answer(seen.ran.out).context):
        yield f"the pinned fact is not shown: {seen.ran.text[-200:]!r}"


@EXPECT("file_mode")
def _file_mode(value: str, seen: Seen) -> Iterator[str]:
    yield from _modes(int(value, 8), seen, stat.S_ISREG)


@EXPECT("dir_mode")
def _dir_mode(value: str, seen: Seen) -> Iterator[str]:
    yield from _modes(int(value, 8), seen, stat.S_ISDIR)


@EXPECT("then")
def _then(value: str, seen: Seen) -> Iterator[str]:
    if value != "second_run_ok":
        yield f"{value!r} is not known"
        return
    assert seen.second is not None
    missing = {PINNED, SAVED_ANYWAY} - set(seen.second.facts)
    if missing:
        yield f"after a second, healthy save these are missing: {sorted(missing)}"
    if seen.second.store_problems:
        yield f"the store is not sound: {seen.second.store_problems}"


@EXPECT("says_not_saved")
def _says_not_saved(_value: bool, seen: Seen) -> Iterator[str]:
    message = answer(seen.ran.out).message
    if "not saved" not in message.casefold():
        yield f"the user was told {message!r}"


def _save_again(seen: Seen, command: list[str], world: World) -> None:
    _healthy_save(SAVED_ANYWAY, command, world)
    seen.second = SecondRun([fact["text"] for fact in world.facts()], store_problems(world))


def _drain(seen: Seen, command: list[str], world: World) -> None:
    _healthy_save(_DRAIN, command, world)
    spooled = list((world.store / "spool").glob("*"))
    seen.drained = [] if spooled else [fact for fact in world.facts() if fact["text"] != PINNED]


NEEDS_AFTER["then"] = _save_again
NEEDS_AFTER["saved_after_drain"] = _drain


def _healthy_save(text: str, command: list[str], world: World) -> None:
    payload = {
        "session_id": "again", "cwd": str(world.project), "hook_event_name": "UserPromptSubmit",
        "prompt": f"remember: {text}",
    }  # fmt: skip
    run(command, world.env(), world.project, [json.dumps(payload).encode()])


def _modes(expected: int, seen: Seen, of_kind: Callable[[int], bool]) -> Iterator[str]:
    for path, (mode, _, _) in seen.after.items():
        if path.startswith(f"{seen.world.store}") and of_kind(mode) and stat.S_IMODE(mode) != expected:
            yield f"expected {expected:04o}, {path} has {stat.S_IMODE(mode):04o}"


def _texts(facts: list[dict[str, Any]]) -> list[str]:
    return [fact["text"] for fact in facts]
