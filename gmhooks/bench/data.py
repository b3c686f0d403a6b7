"""Retrieval data on disk: a folder per set, each with `facts.jsonl` and `queries.jsonl`.

A fact is `{"id", "ns", "text", "ts"}`, `ts` in ISO 8601 (UTC when it names no zone), and may have `"supersedes": [ids]`. A
question is `{"id", "ns", "query", "gold": [ids], "type"}`; without gold it is an unrelated prompt, which calls for silence,
and `"stale": [ids]` names the facts that its gold replaced.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

FACTS, QUERIES = "facts.jsonl", "queries.jsonl"


class BadData(Exception):
    """Data that cannot be used; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact to store, and the ids of the older ones that it replaces."""

    id: str
    text: str
    at: datetime
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One question. No gold: an unrelated prompt."""

    id: str
    text: str
    gold: tuple[str, ...]
    stale: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Space:
    """The facts of one namespace, oldest first, and what is asked of them."""

    name: str
    facts: tuple[Fact, ...]
    queries: tuple[Query, ...]


def set_names(root: str) -> list[str]:
    """The sets in a folder, sorted. BadData when there is none."""
    try:
        found = sorted(name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name, QUERIES)))
    except OSError as error:
        raise BadData(f"{root}: {error.strerror}") from None
    if not found:
        raise BadData(f"{root}: no folder in it has a {QUERIES}")
    return found


def load(folder: str) -> list[Space]:
    """The namespaces of one set, in the order in which its questions name them. BadData."""
    facts: dict[str, list[Fact]] = {}
    queries: dict[str, list[Query]] = {}
    for place, row in _rows(os.path.join(folder, FACTS)):
        facts.setdefault(_text(row, "ns", place), []).append(fact(row, place))
    for place, row in _rows(os.path.join(folder, QUERIES)):
        queries.setdefault(_text(row, "ns", place), []).append(_query(row, place))
    return [Space(name, tuple(facts.get(name, ())), tuple(asked)) for name, asked in queries.items()]


def texts(path: str, count: int) -> list[str]:
    """The texts of the first `count` facts of a file. BadData."""
    found = [_text(row, "text", place) for (place, row), _ in zip(_rows(path), range(count), strict=False)]
    if len(found) < count:
        raise BadData(f"{path}: {len(found)} facts, {count} wanted")
    return found


def fact(row: Mapping[str, Any], place: str) -> Fact:
    """The fact that a JSON object means; `place` is named in errors. BadData."""
    stamp = _text(row, "ts", place)
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        raise BadData(f"{place}: no ISO 8601 time: {stamp[:40]!r}") from None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return Fact(_text(row, "id", place), _text(row, "text", place), at, _ids(row, "supersedes", place))


def _query(row: Mapping[str, Any], place: str) -> Query:
    if "gold" not in row:
        raise BadData(f"{place}: it has no gold")
    kind = row.get("type", "other")
    gold, stale = _ids(row, "gold", place), _ids(row, "stale", place)
    return Query(_text(row, "id", place), _text(row, "query", place), gold, stale, str(kind))


def _rows(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}, line {number}", _object(line, f"{path}, line {number}")
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadData(f"{path}: it is not UTF-8") from None


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise BadData(f"{place}: it is not a JSON object")
    return row


def _text(row: Mapping[str, Any], key: str, place: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise BadData(f"{place}: its {key} is missing or no text")
    return value


def _ids(row: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadData(f"{place}: its {key} is no list of ids")
    return tuple(value)
