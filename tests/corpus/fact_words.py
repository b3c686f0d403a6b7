"""The `expect` words of facts, and the `render` words for what a surface shows."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from tests.corpus.answers import answer, inside_fence, problems_of, stray_lines
from tests.corpus.fact_seen import Rendered, SeenFact
from tests.corpus.words import Words, as_list
from tests.corpus.world import holds_text

EXPECT: Words[Callable[[Any, SeenFact], Iterator[str]]] = Words("expect")
RENDER: Words[Callable[[Any, Rendered, SeenFact], Iterator[str]]] = Words("render")
_ZWJ = "\u200d"


# -- what was stored ----------------------------------------------------------
@EXPECT("save")
def _save(value: Any, seen: SeenFact) -> Iterator[str]:
    happened = {"saved"} if seen.facts else {"not_saved"} | ({"refused"} if seen.codes or seen.ran.status else set())
    if not happened & set(as_list(value)):
        yield f"expected {value}, got {sorted(happened)}; receipts {seen.codes}"


@EXPECT("reason", "receipt")
def _reason(value: str, seen: SeenFact) -> Iterator[str]:
    if value not in seen.codes:
        yield f"expected {value} in hooks.log, got {seen.codes}"


@EXPECT("provenance")
def _provenance(value: str, seen: SeenFact) -> Iterator[str]:
    sources = [fact["source"] for fact in seen.facts]
    if sources != [value]:
        yield f"expected {value}, got {sources}"


@EXPECT("stored_equals")
def _stored_equals(value: str, seen: SeenFact) -> Iterator[str]:
    texts = [fact["text"] for fact in seen.facts]
    if texts != [value]:
        yield f"expected {value!r}, got {texts}"


@EXPECT("stored_nowhere")
def _stored_nowhere(_value: bool, seen: SeenFact) -> Iterator[str]:
    folders = [seen.world.store, seen.world.user_dir]
    hits = holds_text(folders, seen.text.encode("utf-8", "replace"))
    hits += holds_text(folders, json.dumps(seen.text)[1:-1].encode())
    if hits:
        yield f"the text is in {sorted(set(hits))}"


@EXPECT("receipt_without_text")
def _receipt_without_text(_value: bool, seen: SeenFact) -> Iterator[str]:
    if not seen.receipts:
        yield "there is no receipt"
    if any(seen.text in str(value) for line in seen.receipts for value in line.values()):
        yield "a receipt holds the text"


@EXPECT("user_told")
def _user_told(_value: bool, seen: SeenFact) -> Iterator[str]:
    message = answer(seen.ran.out).message
    if not message:
        yield "the answer has no message for the user"
    if seen.text in message:
        yield "the message repeats the text"


@EXPECT("no_traceback")
def _no_traceback(_value: bool, seen: SeenFact) -> Iterator[str]:
    if "Traceback" in seen.ran.errors + seen.ran.text:
        yield f"got one: {seen.ran.errors[-200:]!r}"


@EXPECT("via")
def _via(value: str, seen: SeenFact) -> Iterator[str]:
    if seen.via != value:
        yield f"expected {value}, the case arrives via {seen.via}"


@EXPECT("writes_only_under_store")
def _only_under_store(_value: bool, seen: SeenFact) -> Iterator[str]:
    allowed = (f"{seen.world.store}/", f"{seen.world.user_dir}/")
    for path in sorted(set(seen.before) | set(seen.after)):
        if seen.before.get(path) != seen.after.get(path) and not path.startswith(allowed):
            yield f"wrote {path}"


@EXPECT("distinct_namespace")
def _distinct_namespace(_value: bool, seen: SeenFact) -> Iterator[str]:
    owners = [fact["agent_id"] for fact in seen.facts]
    if owners != [seen.text]:
        yield f"expected exactly one fact, of {seen.text!r}; found facts of {owners}; {seen.ran.errors[-200:]!r}"


@EXPECT("rejected")
def _rejected(_value: bool, seen: SeenFact) -> Iterator[str]:
    complaint = [line for line in seen.ran.errors.splitlines() if line.strip()]
    if seen.ran.status == 0 or len(complaint) != 1:
        yield f"expected an error of one line, got status {seen.ran.status} and {complaint}"
    if seen.facts or seen.before != seen.after:
        yield "something was written"


# -- what is shown ------------------------------------------------------------
@RENDER("fence_intact")
def _fence(_value: bool, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    if shown.hook and inside_fence(shown.text) is None:
        yield f"not one opening and one closing fence line of ours: {shown.text!r}"


@RENDER("one_line_per_fact")
def _one_line(_value: bool, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    if len(shown.lines) != 1:
        yield f"expected one fact line, got {shown.lines}"
    if shown.hook and stray_lines(shown.text):
        yield f"lines that belong to no fact: {stray_lines(shown.text)}"


@RENDER("lines")
def _lines(value: int, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    if len(shown.lines) != value:
        yield f"expected {value}, got {shown.lines}"


@RENDER("count")
def _count(value: dict[str, int], shown: Rendered, seen: SeenFact) -> Iterator[str]:
    if not shown.lines:
        yield f"nothing is shown: {shown.text!r}"
    for token, number in value.items():
        found = shown.text.count(seen.world.expand(token))
        if found != number:
            yield f"expected {token} {number} times, got {found}"


@RENDER("max_chars")
def _max_chars(value: int, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    for line in shown.lines:
        if len(line) > value:
            yield f"expected at most {value} characters, got {len(line)}"


@RENDER("valid_utf8")
def _valid_utf8(_value: bool, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    try:
        shown.out.decode("utf-8")
        shown.text.encode("utf-8")
    except UnicodeError as error:
        yield str(error)
    if "\N{REPLACEMENT CHARACTER}" in shown.text:
        yield "a character was cut in two"


@RENDER("valid_json_output")
def _valid_json(_value: bool, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    if shown.hook:
        yield from problems_of(shown.out, "SessionStart")


@RENDER("contains")
def _contains(value: list[str], shown: Rendered, seen: SeenFact) -> Iterator[str]:
    for part in map(seen.world.expand, value):
        if not any(part in line for line in shown.lines):
            yield f"expected {part!r} in the fact's line, got {shown.lines}"


@RENDER("not_contains")
def _not_contains(value: list[str], shown: Rendered, seen: SeenFact) -> Iterator[str]:
    for part in map(seen.world.expand, value):
        if part in shown.text:
            yield f"{part!r} is there: {shown.text!r}"


@RENDER("not_contains_regex")
def _not_matching(value: list[str], shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    yield from _matches(value, shown.text if shown.hook else "\n".join(shown.lines))


@RENDER("not_contains_regex_nfkc")
def _not_matching_nfkc(value: list[str], shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    yield from _matches(value, unicodedata.normalize("NFKC", shown.text))


def _matches(patterns: list[str], text: str) -> Iterator[str]:
    for pattern in patterns:
        if found := re.search(pattern, text):
            yield f"{pattern} matches {found.group()!r}"


@RENDER("no_codepoints")
def _no_codepoints(value: list[str], shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    for span in value:
        first, _, last = span.partition("-")
        bad = [f"U+{ord(c):04X}" for c in shown.text if int(first, 16) <= ord(c) <= int(last or first, 16)]
        if bad:
            yield f"{sorted(set(bad))} shown"


@RENDER("max_combining_run")
def _combining(value: int, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    run = 0
    for character in shown.text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > value:
            yield f"more than {value} combining marks in a row"
            return


@RENDER("no_dangling_zwj")
def _dangling_zwj(_value: bool, shown: Rendered, _seen: SeenFact) -> Iterator[str]:
    for line in shown.lines:
        if re.search(rf"(^|\s){_ZWJ}|{_ZWJ}(\s|…|$)", line):
            yield f"a joiner that joins nothing: {line!r}"


@RENDER("inside_fence")
def _inside(_value: bool, shown: Rendered, seen: SeenFact) -> Iterator[str]:
    if not shown.hook:
        return
    inner = "\n".join(inside_fence(shown.text) or [])
    first_words = " ".join(seen.text.split()[:3])
    if first_words not in inner or shown.text.count(first_words) != inner.count(first_words):
        yield f"the fact is not (only) inside the fence: {shown.text!r}"
