"""Proof from the client's own transcript that a block reached the model.

The client notes each hook's context as an attachment, and each request to the model with the messages it sent for the first
time. A block counts as delivered when it stands in such a message, or, in transcripts without requests, when the model
answered after the attachment.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from gmhooks.context.claudecode import config_dir, project_folder
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.view import View
from gmhooks.hooks.session import BLOCK, BLOCKS_AT, FILE, SETS, SLOT, SLOTS_AT, WAYS, digest, sound
from gmhooks.init.launcher import NAME
from gmhooks.memory.regular import content

_FENCE = "<graymatter-memory k="
_LENGTH_AT = 10


@dataclass(slots=True)
class Transcript:
    """What one transcript says about our hooks, in order."""

    path: str
    blocks: list[str] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    answered: int = 0
    requests: bool = False
    errors: list[str] = field(default_factory=list)

    @property
    def session(self) -> str:
        """The session's id."""
        return os.path.basename(self.path).removesuffix(".jsonl")


def check(view: View) -> Iterator[Finding]:
    """Judge the newest transcript of this project."""
    newest = _newest(view)
    if newest is None:
        yield Finding("delivery", WARN, f"the client has no transcript of {view.at.route.root}")
        return
    seen = read(newest)
    if seen.errors:
        yield Finding("delivery", FAIL, f"{newest}: {seen.errors[-1]} ({len(seen.errors)} in all)")
    printed = last_printed(view.at.route.data_dir, seen.session)
    if printed and not any(printed in block for block in seen.blocks):
        yield Finding("delivery", FAIL, f"{newest}: the block last printed in this session is not in it")
    elif not seen.blocks:
        yield Finding("delivery", INFO, f"{newest}: no block of ours was shown in this session")
    else:
        yield _delivered(seen)


def _delivered(seen: Transcript) -> Finding:
    delivered = [block for block in seen.blocks if block in seen.sent]
    how = "stands in a request to the model"
    if not seen.requests:
        delivered, how = seen.blocks[: seen.answered], "was answered by the model"
    if not delivered:
        return Finding("delivery", FAIL, f"{seen.path}: {len(seen.blocks)} blocks were taken, none of them was sent")
    facts = delivered[-1].count("\n- ")
    detail = f"{seen.path}: {len(delivered)} of {len(seen.blocks)} blocks; the last, with {facts} facts, {how}"
    return Finding("delivery", OK, detail)


def _newest(view: View) -> str | None:
    folder = project_folder(view.at.route.root, config_dir(view.at.environ))
    found = glob.glob(os.path.join(glob.escape(folder), "*.jsonl"))
    return max(found, key=os.path.getmtime, default=None)


def read(path: str) -> Transcript:
    """Read a transcript tolerantly; lines of unknown kinds are passed over."""
    seen = Transcript(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if _FENCE in line.replace("\\", "") or '"hook_' in line or '"api-request' in line or '"assistant"' in line:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict):
                    _take(seen, record)
    return seen


def _take(seen: Transcript, record: dict[str, object]) -> None:
    kind, attachment = record.get("type"), record.get("attachment")
    if kind == "attachment" and isinstance(attachment, dict):
        _attachment(seen, attachment)
    elif kind == "assistant":
        seen.answered = len(seen.blocks)
    elif kind == "api-request":
        seen.requests = True
    elif kind == "api-request-blob":
        text = "\n".join(_texts(record.get("message")))
        seen.sent.update(block for block in seen.blocks if block in text)


def _attachment(seen: Transcript, attachment: dict[str, object]) -> None:
    kind, content = attachment.get("type"), attachment.get("content")
    if kind == "hook_additional_context":
        parts = content if isinstance(content, list) else [content]
        seen.blocks += [part for part in parts if isinstance(part, str) and _FENCE in part]
    elif _failed(str(kind)) and NAME in str(attachment.get("command", "")):
        seen.errors.append(f"{attachment.get('hookEvent')} failed: {str(attachment.get('stderr', ''))[:200]}")


def _failed(kind: str) -> bool:
    return kind.startswith("hook_") and ("error" in kind or "cancel" in kind)


def _texts(value: object) -> Iterator[str]:
    """Every string below a message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def last_printed(data_dir: str, session_id: str) -> str:
    """The block that a hook last printed in a session, from the session state; "" when it holds none."""
    key = digest(session_id)
    first = key[0] % SETS * WAYS
    data = content(os.path.join(data_dir, FILE), BLOCKS_AT + BLOCK * WAYS * SETS)
    for index in range(first, first + WAYS):
        slot = data[SLOTS_AT + index * SLOT :][:SLOT]
        if slot[:8] == key and sound(slot):
            length = min(memoryview(slot).cast("I")[_LENGTH_AT], BLOCK)
            return data[BLOCKS_AT + index * BLOCK :][:length].decode("utf-8", "replace")
    return ""
