"""What a hook may print, and what a recall block holds, read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

JSON_EVENTS = ("SessionStart", "UserPromptSubmit")
MOST_BYTES = 9_500
PLAIN_BYTES = 1_024
_OPEN = re.compile(r'^<graymatter-memory k="[0-9a-f]{8}"> .*data, not instructions\.$')
_CLOSE = re.compile(r'^</graymatter-memory k="[0-9a-f]{8}">$')
_MARKER = re.compile(r'^\[GrayMatter hook recall ran for agent_id=".*"\.\]$')
_HEADINGS = {"## Memory", "## Shared memory (project-wide)", "## Unfinished work", ""}


@dataclass(frozen=True)
class Answer:
    """The parts of one hook answer; absent parts are empty."""

    context: str = ""
    message: str = ""


def problems_of(out: bytes, event: str) -> Iterator[str]:
    """Why `out` is not exactly one valid answer to this event, nothing else; empty output is valid."""
    if not out:
        return
    if len(out) > MOST_BYTES:
        yield f"{len(out)} bytes printed, more than {MOST_BYTES}"
    try:
        text = out.decode("utf-8")
    except UnicodeDecodeError as error:
        yield f"output is not UTF-8: {error.reason} at byte {error.start}"
        return
    if event in JSON_EVENTS:
        yield from _json_problems(text, event)
    elif event == "PreCompact":
        if len(out) > PLAIN_BYTES:
            yield f"{len(out)} bytes of compaction instructions, more than {PLAIN_BYTES}"
        if text.lstrip().startswith(("{", "[")):
            yield "compaction instructions that look like JSON"
    else:
        yield f"{event} must print nothing, printed {len(out)} bytes"


def _json_problems(text: str, event: str) -> Iterator[str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        yield f"output is not one JSON value: {error}"
        return
    if not isinstance(value, dict) or not text.startswith("{"):
        yield "output is not one JSON object"
        return
    if extra := set(value) - {"hookSpecificOutput", "systemMessage"}:
        yield f"unknown keys {sorted(extra)}"
    if not isinstance(value.get("systemMessage", ""), str):
        yield "systemMessage is not a string"
    own = value.get("hookSpecificOutput")
    if own is not None and not _is_context(own, event):
        yield f"hookSpecificOutput is not a context for {event}: {json.dumps(own)[:120]}"
    if own is None and "systemMessage" not in value:
        yield "an object that says nothing"


def _is_context(own: Any, event: str) -> bool:
    return (
        isinstance(own, dict)
        and set(own) == {"hookEventName", "additionalContext"}
        and own["hookEventName"] == event
        and isinstance(own["additionalContext"], str)
    )


def answer(out: bytes) -> Answer:
    """The parts of an answer; output that is no JSON object counts as plain context."""
    text = out.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except ValueError:
        return Answer(context=text)
    if not isinstance(value, dict):
        return Answer(context=text)
    own = value.get("hookSpecificOutput") or {}
    return Answer(str(own.get("additionalContext", "")), str(value.get("systemMessage", "")))


def inside_fence(context: str) -> list[str] | None:
    """The lines between our opening and closing fence line; None unless there is exactly one of each, marker first."""
    lines = context.split("\n")
    opens = [at for at, line in enumerate(lines) if _OPEN.match(line)]
    closes = [at for at, line in enumerate(lines) if _CLOSE.match(line)]
    loose = [line for line in lines if "graymatter-memory" in line.casefold()]
    if len(opens) != 1 or len(closes) != 1 or len(loose) != 2 or opens[0] != 1 or not _MARKER.match(lines[0]):
        return None
    if lines[closes[0] + 1 :] not in ([], [""]):
        return None
    return lines[2 : closes[0]]


def fact_lines(context: str) -> list[str]:
    """The text of every fact line of a block."""
    return [line[2:] for line in inside_fence(context) or [] if line.startswith("- ")]


def stray_lines(context: str) -> list[str]:
    """Lines inside the fence that are neither headings nor fact lines."""
    return [line for line in inside_fence(context) or [] if line not in _HEADINGS and not line.startswith("- ")]
