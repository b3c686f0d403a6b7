"""Facts as JSON lines: one fact a line in the order of time, so that files can be compared, merged and read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from gmhooks.hooks.admit import Refused, admit
from gmhooks.memory.agents import checked_agent_id
from gmhooks.memory.entering import WHOLE, Row, row_of
from gmhooks.recall.receipt import written_at
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, everything
from gmhooks.store.ids import decode, encode
from gmhooks.store.namespaces import listed
from gmhooks.store.records import CONFIDENCES, IMPORT, KIND_ALIAS, LIVE, RETIRED, SOURCES
from gmhooks.store.spool import pending
from gmhooks.store.touches import unfolded

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_AGENT = "agent"
_ALIAS = "alias"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "agent_id": str, "id": str, "text": str, "created_at": str, "source": str, "confidence": str, "kind": str,
    "pinned_at": str, "superseded_by": str, "access_count": int, "accessed_at": str, "weight": (int, float),
}  # fmt: skip
_NEEDED = ("agent_id", "id", "text", "created_at")


class Malformed(Exception):
    """Lines that cannot be imported: `problems` holds (line number, reason). Of lines whose fact is in the store under
    another agent id, and differs in nothing else, `moved` holds (id in the line, id in the store) by line number."""

    def __init__(self, problems: list[tuple[int, str]], moved: Mapping[int, tuple[str, str]] | None = None) -> None:
        self.problems = problems
        self.moved = dict(moved or {})
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        super().__init__(f"line {problems[0][0]}: {problems[0][1]}{more}")


def rows(store: Store | None, data_dir: str, agent_id: str | None = None) -> list[Row]:
    """Every fact of one agent or (None) of all, retired ones and aliases too, and saves that wait, oldest first."""
    found: dict[bytes, Row] = {}
    if store is not None:
        journal = unfolded(data_dir)
        for ns in listed(store):
            for fact in everything(store, ns) if agent_id in (None, ns.agent_id) else ():
                waiting = journal.get((ns.number, fact.doc), [0, 0])
                found[fact.id] = _with_journal(row_of(store, ns, fact), waiting)
    for item in pending(data_dir):
        there = store is not None and by_suffix(store, encode(item.id))
        if agent_id in (None, item.agent_id) and not there:
            found[item.id] = Row(item.agent_id, item.id, item.text, item.created_us, item.source, item.confidence)
    return sorted(found.values(), key=lambda row: (row.created_us, row.id))


def to_line(row: Row) -> str:
    """One fact as JSON without a line end; what is absent or ordinary is left out."""
    body: dict[str, object] = {
        "agent_id": row.agent_id,
        "id": encode(row.id),
        "text": row.text,
        "created_at": written_at(row.created_us),
        "source": SOURCES[row.source] if row.source < len(SOURCES) else SOURCES[IMPORT],
    }
    if 0 < row.confidence < len(CONFIDENCES):
        body["confidence"] = CONFIDENCES[row.confidence]
    if row.kind == KIND_ALIAS:
        body["kind"] = _ALIAS
    if row.pinned_us:
        body["pinned_at"] = written_at(row.pinned_us)
    if row.superseded_by != LIVE:
        body["superseded_by"] = _AGENT if row.superseded_by == RETIRED else encode(row.superseded_by)
    if row.recalls:
        body["access_count"] = row.recalls
        body["accessed_at"] = written_at(row.recalled_us)
    if row.weight < WHOLE:
        body["weight"] = row.weight
    plain = json.dumps(body, ensure_ascii=False)
    return plain if plain.isprintable() else json.dumps(body)


def parse(lines: Iterable[bytes]) -> list[tuple[int, Row]]:
    """(line number, row) of every line that is not blank, in the order of time. Malformed with every line that is none."""
    found: list[tuple[int, Row]] = []
    problems: list[tuple[int, str]] = []
    seen: dict[bytes, Row] = {}
    for number, line in enumerate(lines, 1):
        raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not raw.strip():
            continue
        try:
            row = _row(raw)
            if _same(seen.setdefault(row.id, row)) != _same(row):
                raise ValueError("another line has this id and says something else")
            found.append((number, row))
        except Refused as error:
            problems.append((number, str(error)))
        except ValueError as error:
            problems.append((number, str(error)))
    if problems:
        raise Malformed(problems)
    return sorted(found, key=lambda each: (each[1].created_us, each[1].id))


def _same(row: Row) -> tuple[object, ...]:
    """What never changes of a fact: lines of two exports that a merge put together may differ in the rest."""
    return row.agent_id, row.text, row.created_us, row.kind


def is_export(data: bytes) -> bool:
    """Whether a file's bytes are nothing but such lines, as far as their fields tell; an empty file is one."""
    try:
        for line in data.splitlines():
            _object(line)
    except ValueError:
        return False
    return True


def _with_journal(row: Row, waiting: list[int]) -> Row:
    if not waiting[0]:
        return row
    return Row(
        row.agent_id, row.id, row.text, row.created_us, row.source, row.confidence, row.kind, row.pinned_us,
        row.superseded_by, row.recalls + waiting[0], max(row.recalled_us, waiting[1]), row.weight,
    )  # fmt: skip


def _row(raw: bytes) -> Row:
    body = _object(raw)
    admitted = admit(body["text"])
    superseded = body.get("superseded_by")
    return Row(
        checked_agent_id(body["agent_id"]),
        _id(body["id"]),
        admitted.text,
        _time(body["created_at"]),
        _choice("source", SOURCES, body.get("source", SOURCES[IMPORT])),
        _choice("confidence", CONFIDENCES, body.get("confidence", "")),
        KIND_ALIAS * _choice("kind", ("", _ALIAS), body.get("kind", "")),
        _time(body["pinned_at"]) if "pinned_at" in body else 0,
        LIVE if superseded is None else RETIRED if superseded == _AGENT else _id(superseded),
        _count(body.get("access_count", 0)),
        _time(body["accessed_at"]) if "accessed_at" in body else 0,
        _share(body.get("weight", WHOLE)),
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(body, dict):
        raise ValueError("it is not a JSON object")
    for key in _NEEDED:
        if key not in body:
            raise ValueError(f"it has no {key}")
    for key, kind in _TYPES.items():
        if key in body and (not isinstance(body[key], kind) or isinstance(body[key], bool)):
            raise ValueError(f"its {key} has the wrong type")
    return body


def _id(text: str) -> bytes:
    try:
        return decode(text)
    except ValueError:
        raise ValueError("an id is not a ULID") from None


def _time(text: str) -> int:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a time is not RFC 3339: {text[:40]!r}") from None
    if parsed.tzinfo is None:
        raise ValueError(f"a time has no zone: {text[:40]!r}")
    return max((parsed - _EPOCH) // _MICROSECOND, 0)


def _choice(key: str, names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise ValueError(f"its {key} is not one of {', '.join(filter(None, names))}")
    return names.index(name)


def _count(value: int) -> int:
    if not 0 <= value < 1 << 63:
        raise ValueError("its access_count is out of range")
    return value


def _share(value: float) -> float:
    if not 0 <= value <= WHOLE:
        raise ValueError("its weight is not between 0 and 1")
    return float(value)
