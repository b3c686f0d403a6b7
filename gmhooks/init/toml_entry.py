"""A server as a table of its own at the end of a TOML file; the rest of the file is only read.

Checked by parsing the result: it must hold what was there before, and the entry. Where that fails (servers in an inline
table) the file is refused."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from gmhooks.context.blocks import attach, cut, line_end
from gmhooks.init.entry import ABSENT, CREATED, PRESERVED, REMOVED, UNCHANGED, UPDATED, Edited, Wanted
from gmhooks.init.jsonc import decode, line_of
from gmhooks.init.ledger import Trace
from gmhooks.init.refusal import Refusal

_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*|[\[\]{}]|\n|[^\n\"'\#\[\]{}]+",
    re.DOTALL,
)
_PLACE = re.compile(r"at line (\d+), column \d+")
_BARE = re.compile(r"^[A-Za-z0-9_-]+$")


@dataclass(frozen=True, slots=True)
class _Table:
    """One `[header]` with its lines: `text[start:stop]`, up to its last line that says something."""

    path: tuple[str, ...]
    start: int
    stop: int


class TomlEditor:
    """TOML 1.0, as Codex reads it."""

    def put(self, data: bytes | None, wanted: Wanted, before: Trace | None) -> Edited:
        """Add the table, or replace one of ours. Raises Refusal."""
        mark, text = decode(data or b"")
        held = _loads(text)
        servers = _servers(held, wanted, text)
        value = servers.get(wanted.name)
        trace = before if before is not None and value is not None else Trace(absent=data is None)
        if value == wanted.value:
            return Edited(data, UNCHANGED, trace)
        if value is not None and not wanted.replace and not wanted.is_ours(value):
            return Edited(data, PRESERVED, trace)
        new = attach(text, _render(wanted, line_end(text))) if value is None else _exchanged(text, wanted)
        expected = {**held, wanted.table: {**servers, wanted.name: wanted.value}}
        _verify(new, expected, text, wanted)
        if value is None and _without(new, wanted) != text:
            raise AssertionError("the edit cannot be taken back exactly; nothing was written")
        return Edited((mark + new).encode(), CREATED if data is None else UPDATED, trace)

    def take(self, data: bytes | None, wanted: Wanted, trace: Trace) -> Edited:
        """Remove the table, unless it is not ours. Raises Refusal."""
        mark, text = decode(data or b"")
        held = _loads(text)
        servers = _servers(held, wanted, text)
        value = servers.get(wanted.name)
        if value is None:
            return Edited(data, ABSENT)
        if not wanted.replace and not wanted.is_ours(value):
            return Edited(data, PRESERVED)
        bare = _without(text, wanted)
        rest = {name: each for name, each in servers.items() if name != wanted.name}
        expected = {key: each for key, each in held.items() if key != wanted.table} | (
            {wanted.table: rest} if rest else {}
        )
        _verify(bare, expected, text, wanted)
        return Edited(None if not bare and trace.absent else (mark + bare).encode(), REMOVED)


def _loads(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place.group(1)) if place else line_of(text, len(text))
        raise Refusal("invalid_toml", str(error).partition(" (")[0], line=line) from None
    except RecursionError:
        raise Refusal("too_deep", "nested too deeply") from None


def _servers(held: dict[str, object], wanted: Wanted, text: str) -> dict[str, object]:
    servers = held.get(wanted.table, {})
    if not isinstance(servers, dict):
        detail = f"{wanted.table!r} must be a table"
        raise Refusal("wrong_type", detail, line=_line_naming(text, wanted.table), pointer=f"/{wanted.table}")
    return servers


def _verify(new: str, expected: dict[str, object], text: str, wanted: Wanted) -> None:
    """The new text must mean exactly what is expected (compared as text: NaN is not equal to itself)."""
    try:
        found = tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        found = {}
    if _sorted(found) != _sorted(expected):
        detail = f"{wanted.table!r} is written so that a table of its own cannot be added or removed"
        raise Refusal("inline_table", detail, line=_line_naming(text, wanted.table), pointer=f"/{wanted.table}")


def _sorted(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_sorted(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_sorted, value)) + "]"
    return repr(value)


def _line_naming(text: str, word: str) -> int | None:
    at = text.find(word)
    return line_of(text, at) if at >= 0 else None


def _render(wanted: Wanted, eol: str) -> str:
    rows = [f"[{wanted.table}.{wanted.name}]"]
    rows += [f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in wanted.value.items()]
    return eol.join(rows)


def _key(key: str) -> str:
    return key if _BARE.match(key) else json.dumps(key)


def _ours(text: str, wanted: Wanted) -> list[_Table]:
    """Our table and the tables below it."""
    path = (wanted.table, wanted.name)
    return [table for table in _tables(text) if table.path[:2] == path]


def _without(text: str, wanted: Wanted) -> str:
    for table in reversed(_ours(text, wanted)):
        text = cut(text, table.start, table.stop)
    return text


def _exchanged(text: str, wanted: Wanted) -> str:
    """The text with our table in the place of the first one that is there."""
    found = _ours(text, wanted)
    if not found:
        return text
    for table in reversed(found[1:]):
        text = cut(text, table.start, table.stop)
    return text[: found[0].start] + _render(wanted, line_end(text)) + text[found[0].stop :]


def _tables(text: str) -> Iterator[_Table]:
    """Every `[table]` of a valid text, in order."""
    heads = list(_headers(text))
    for (start, path), following in zip(heads, [*(head[0] for head in heads[1:]), len(text)], strict=True):
        yield _Table(path, start, start + _said(text[start:following]))


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    depth, fresh, at = 0, True, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Refusal("invalid_toml", "a string is not closed", line=line_of(text, at))
        token = found.group()
        if token == "[" and fresh and not depth:
            line = re.compile(r"[^\n]*").match(text, at)
            assert line is not None
            yield text.rfind("\n", 0, at) + 1, _path(line.group())
            at = line.end()
            continue
        depth += token in ("[", "{")
        depth -= token in ("]", "}")
        fresh = token == "\n" or (fresh and not token.strip())
        at = found.end()


def _path(header: str) -> tuple[str, ...]:
    """The keys of a header line."""
    value: object = tomllib.loads(header.rstrip("\r") + "\n")
    path = []
    while value:
        if isinstance(value, list):
            value = value[0]
            continue
        assert isinstance(value, dict)
        key = next(iter(value))
        path.append(key)
        value = value[key]
    return tuple(path)


def _said(text: str) -> int:
    """Where the last line ends that is neither blank nor a comment outside a value."""
    at, said = 0, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None
        token = found.group()
        if token.strip() and not token.startswith("#"):
            said = found.start() + len(token.rstrip())
        at = found.end()
    end = text.find("\n", said)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" and end > said else end
