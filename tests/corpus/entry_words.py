"""The `expect` words about entries in settings: hooks of ours and of others, servers, single values."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from tests.corpus.file_seen import SeenFile, foreign_commands, handlers, is_ours, ours, parsed
from tests.corpus.file_words import EXPECT, when, without_bom
from tests.corpus.jsonc import loads_jsonc
from tests.corpus.words import as_list

_SERVER = "graymatter"


@EXPECT("foreign_commands")
def _foreign_commands(value: list[str], seen: SeenFile) -> Iterator[str]:
    commands = foreign_commands(seen.value())
    if [command for command in commands if command in value] != value:
        yield f"expected {value}, got {commands}"


@EXPECT("order")
@when("changed")
def _order(value: str, seen: SeenFile) -> Iterator[str]:
    if value != "foreign_first":
        yield f"{value!r} is not known"
    for event, groups in handlers(seen.value()).items():
        mine = [is_ours(entry) for group in groups for entry in group]
        if mine != sorted(mine):
            yield f"ours is not behind the foreign ones of {event}"


@EXPECT("groups_added")
@when("changed")
def _groups_added(_value: bool, seen: SeenFile) -> Iterator[str]:
    old = handlers(parsed(seen.before.data))
    for event, groups in handlers(seen.value()).items():
        kept = groups[: len(old.get(event, []))]
        if kept != old.get(event, []):
            yield f"the foreign groups of {event} are not first and unchanged"
        if not all(is_ours(entry) for group in groups[len(kept) :] for entry in group):
            yield f"a group added to {event} holds more than ours"


@EXPECT("ours_per_event")
@when("changed", "unchanged")
def _ours_per_event(value: int, seen: SeenFile) -> Iterator[str]:
    entries = ours(seen.value())
    if not entries:
        yield "there is no entry of ours"
    for event, groups in entries.items():
        number = sum(map(len, groups))
        if number != value:
            yield f"expected {value}, {event} has {number}"


@EXPECT("entries_as_fresh_install")
@when("changed", "unchanged")
def _as_fresh(_value: bool, seen: SeenFile) -> Iterator[str]:
    found = ours(seen.value())
    if found != seen.fresh:
        yield f"expected {seen.fresh}, got {found}"


@EXPECT("kept_wrapper")
def _kept_wrapper(value: Any, seen: SeenFile) -> Iterator[str]:
    commands = [entry.get("command") for entry in _our_entries(seen)]
    for wrapper in as_list(value):
        if wrapper not in commands:
            yield f"{wrapper!r} is gone: {commands}"


@EXPECT("kept_arg")
def _kept_arg(value: Any, seen: SeenFile) -> Iterator[str]:
    words = [word for entry in _our_entries(seen) for word in entry.get("args") or []]
    for argument in as_list(value):
        if argument not in words:
            yield f"{argument!r} is gone: {words}"


@EXPECT("server_present")
@when("changed", "unchanged")
def _server_present(_value: bool, seen: SeenFile) -> Iterator[str]:
    if _SERVER not in _servers(seen):
        yield f"no server {_SERVER}, only {sorted(_servers(seen))}"


@EXPECT("server_kept")
def _server_kept(value: Any, seen: SeenFile) -> Iterator[str]:
    for server in as_list(value):
        if server not in _servers(seen):
            yield f"server {server} is gone"


@EXPECT("json_equals")
def _json_equals(value: dict[str, Any], seen: SeenFile) -> Iterator[str]:
    for pointer, wanted in value.items():
        found = _at(seen.value(), pointer.split("/")[1:])
        if found != wanted:
            yield f"expected {wanted!r} at {pointer}, got {found!r}"


@EXPECT("toml_equals")
def _toml_equals(value: dict[str, Any], seen: SeenFile) -> Iterator[str]:
    table = tomllib.loads(without_bom(seen.after.data).decode())
    for pointer, wanted in value.items():
        found = _at(table, pointer.split("."))
        if found != wanted:
            yield f"expected {wanted!r} at {pointer}, got {found!r}"


def _our_entries(seen: SeenFile) -> list[dict[str, Any]]:
    return [entry for groups in ours(seen.value()).values() for group in groups for entry in group]


def _servers(seen: SeenFile) -> dict[str, Any]:
    text = without_bom(seen.after.data).decode("utf-8", "replace")
    if seen.scene.target == "codex-toml":
        servers: dict[str, Any] = tomllib.loads(text).get("mcp_servers", {})
        return servers
    key = {"mcp-json": "mcpServers", "vscode-mcp": "servers", "opencode-jsonc": "mcp"}[seen.scene.target]
    found: dict[str, Any] = loads_jsonc(text).get(key, {})
    return found


def _at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value
