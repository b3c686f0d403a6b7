"""What hooks printed and when: read from their receipts and from the session state, which keep no more than is needed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gmhooks.hooks.session import BLOCK, BLOCKS_AT, FILE, SETS, SLOT, SLOTS_AT, WAYS, digest, sound
from gmhooks.hooks.trusted import number_of
from gmhooks.memory.errors import Ambiguous
from gmhooks.memory.regular import content
from gmhooks.store.env import Store
from gmhooks.store.facts import get, short_id
from gmhooks.store.namespaces import SHARED, find

EVENTS = ("session-start", "user-prompt", "pre-compact", "session-end")
_LOGS = ("hooks.log.1", "hooks.log")
_INJECTED = re.compile(r"(\d+) bytes, session ([0-9a-f]{16}), facts ([\d ]*)")
_MOST_BYTES = 4 << 20
_LENGTH_FIELD = 40
_LEAST_PREFIX = 6


@dataclass(frozen=True, slots=True)
class Receipt:
    """One line of hooks.log."""

    at: str
    event: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Injection:
    """One printed block: when, by which event, its UTF-8 bytes, the session's digest, keys of its facts."""

    at: str
    event: str
    size: int
    session: str
    keys: tuple[int, ...]


def receipts(data_dir: str) -> Iterator[Receipt]:
    """Every readable line of hooks.log and the file before it, oldest first; others are passed over."""
    for name in _LOGS:
        for line in content(os.path.join(data_dir, name), _MOST_BYTES).splitlines():
            try:
                body = json.loads(line)
            except ValueError:
                continue
            if isinstance(body, dict):
                yield Receipt(*(str(body.get(key, "")) for key in ("ts", "event", "code", "detail")))


def injections(data_dir: str, session_id: str | None = None) -> list[Injection]:
    """Blocks that were printed, oldest first, of one session (named as `session_of` takes it) or (None) of all."""
    found = []
    for receipt in receipts(data_dir):
        match = _INJECTED.fullmatch(receipt.detail) if receipt.code == "injected" else None
        if match is not None:
            keys = tuple(int(key) for key in match[3].split())
            found.append(Injection(receipt.at, receipt.event, int(match[1]), match[2], keys))
    return found if session_id is None else [each for each in found if each.session == session_of(found, session_id)]


def session_of(found: Sequence[Injection], named: str) -> str:
    """The digest, in hexadecimal, of the session that a person means: by its id, or by at least 6 first characters of the
    digest, which is all that receipts keep. Ambiguous when several of these blocks' sessions begin so."""
    exact, known = digest(named).hex(), {each.session for each in found}
    if exact in known or len(named) < _LEAST_PREFIX:
        return exact
    near = sorted(session for session in known if session.startswith(named.lower()))
    if len(near) > 1:
        raise Ambiguous(f"{len(near)} sessions begin with {named}: {', '.join(near)}")
    return near[0] if near else exact


def last_block(data_dir: str, session_id: str | None = None) -> bytes | None:
    """The exact bytes of the block printed last, in one session or in any; None when none is kept."""
    known = injections(data_dir)
    if session_id is None and not known:
        return None
    session = bytes.fromhex(known[-1].session if session_id is None else session_of(known, session_id))
    data = content(os.path.join(data_dir, FILE), _MOST_BYTES)
    for index in range(WAYS * SETS):
        slot = data[SLOTS_AT + index * SLOT :][:SLOT]
        if slot[:8] == session and sound(slot):
            size = int.from_bytes(slot[_LENGTH_FIELD : _LENGTH_FIELD + 4], "little")
            block = data[BLOCKS_AT + index * BLOCK :][: min(size, BLOCK)]
            return block if block.strip(b"\0") else None
    return None


def last_fired(data_dir: str) -> dict[str, str | None]:
    """When each event last left a receipt; an event that had nothing to do leaves none."""
    found: dict[str, str | None] = dict.fromkeys(EVENTS)
    for receipt in receipts(data_dir):
        if receipt.event in found:
            found[receipt.event] = receipt.at
    return found


def facts_of(store: Store, agent_id: str, injection: Injection) -> list[tuple[str, str]]:
    """(short id, text) of each fact of a block that the store still holds, as it reads now."""
    spaces = {False: find(store, agent_id), True: find(store, SHARED)}
    found = []
    for key in injection.keys:
        place = number_of(key)
        ns = spaces[place[1]] if place is not None else None
        fact = get(store, ns.number, place[0]) if place is not None and ns is not None else None
        if fact is not None:
            found.append((short_id(store, fact), fact.text))
    return found
