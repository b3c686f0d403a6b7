"""The `expect` words of settings and instructions: one small function each, yielding what differs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from tests.corpus.file_seen import SeenFile, foreign_commands, ours, parsed
from tests.corpus.jsonc import loads_jsonc
from tests.corpus.lines import added_lines, lost_line, split_lines
from tests.corpus.words import Words, as_list

Rule = Callable[[Any, SeenFile], Iterator[str]]
EXPECT: Words[Rule] = Words("expect")
AGAIN = {"idempotent"}
REMOVED = {"uninstall_restores_bytes", "uninstall_keeps"}
REPORTED = {"reports", "warns"}
_BOM = b"\xef\xbb\xbf"


def when(*outcomes: str) -> Callable[[Rule], Rule]:
    """The rule speaks only about these outcomes."""

    def limit(rule: Rule) -> Rule:
        @wraps(rule)
        def limited(value: Any, seen: SeenFile) -> Iterator[str]:
            return rule(value, seen) if seen.outcome in outcomes else iter(())

        return limited

    return limit


# -- outcome and refusal ------------------------------------------------------
@EXPECT("outcome")
def _outcome(value: Any, seen: SeenFile) -> Iterator[str]:
    if seen.outcome not in as_list(value):
        yield f"expected {value}, got {seen.outcome} (status {seen.ran.status}): {seen.complaint[-300:]}"
    elif seen.outcome == "refused":
        lines = seen.complaint.splitlines()
        if len(lines) != 1 or seen.scene.path.name not in seen.complaint:
            yield f"expected one line that names {seen.scene.path.name}, got {lines}"
    if seen.ran.timed_out or "Traceback" in seen.complaint:
        yield f"did not end by itself: {seen.complaint[-300:]}"


@EXPECT("reason")
@when("refused")
def _reason(value: str, seen: SeenFile) -> Iterator[str]:
    if value not in seen.complaint:
        yield f"expected {value} in {seen.complaint!r}"


@EXPECT("line")
@when("refused")
def _line(value: Any, seen: SeenFile) -> Iterator[str]:
    number = r"\d+" if value is True else str(value)
    if not re.search(rf"(line |:){number}\b", seen.complaint):
        yield f"expected line {number} in {seen.complaint!r}"


@EXPECT("pointer")
@when("refused")
def _pointer(value: str, seen: SeenFile) -> Iterator[str]:
    if value not in seen.complaint:
        yield f"expected {value} in {seen.complaint!r}"


@EXPECT("exit_nonzero")
@when("refused", "broken")
def _exit_nonzero(_value: bool, seen: SeenFile) -> Iterator[str]:
    if seen.ran.status != 1:
        yield f"expected status 1, got {seen.ran.status}"


@EXPECT("bytes_identical")
def _bytes_identical(_value: bool, seen: SeenFile) -> Iterator[str]:
    if seen.before.same_file != seen.after.same_file:
        yield f"the file changed: {seen.after}"


@EXPECT("bytes_identical_if_refused")
def _identical_if_refused(_value: bool, seen: SeenFile) -> Iterator[str]:
    if seen.outcome == "broken":
        yield f"refused, and yet the file changed: {seen.after}"


@EXPECT("no_stray_files", "no_stray_files_in")
@when("refused", "unchanged")
def _no_stray_files(_value: Any, seen: SeenFile) -> Iterator[str]:
    for folder, names in seen.names_after.items():
        if extra := names - seen.names_before[folder]:
            yield f"left {sorted(extra)} in {folder.name}"


@EXPECT("no_backup")
def _no_backup(_value: bool, seen: SeenFile) -> Iterator[str]:
    for folder, names in seen.names_after.items():
        if extra := names - seen.names_before[folder]:
            yield f"made {sorted(extra)} in {folder.name}"


@EXPECT("max_seconds")
def _max_seconds(value: float, seen: SeenFile) -> Iterator[str]:
    if seen.ran.ms > value * 1000:
        yield f"expected at most {value} s, took {seen.ran.ms / 1000:.1f}"


# -- again, and undone --------------------------------------------------------
@EXPECT("idempotent")
def _idempotent(_value: bool, seen: SeenFile) -> Iterator[str]:
    assert seen.again is not None
    if seen.again.ran.status != 0:
        yield f"a second run ended with {seen.again.ran.status}: {seen.again.ran.errors.strip()[-300:]}"
    if seen.again.state != seen.after:
        yield f"a second run changed the file or its time: {_difference(seen.after.data, seen.again.state.data)}"


@EXPECT("uninstall_restores_bytes")
def _restores(_value: bool, seen: SeenFile) -> Iterator[str]:
    assert seen.removed is not None
    if seen.removed.ran.status != 0:
        yield f"uninstall ended with {seen.removed.ran.status}: {seen.removed.ran.errors.strip()[-300:]}"
    if seen.removed.state.same_file != seen.before.same_file:
        yield f"not the original again: {_difference(seen.before.data, seen.removed.state.data)}"


@EXPECT("uninstall_keeps")
def _keeps(value: list[str], seen: SeenFile) -> Iterator[str]:
    assert seen.removed is not None
    left = parsed(seen.removed.state.data)
    commands = foreign_commands(left)
    for command in value:
        if command not in commands:
            yield f"{command} is gone after uninstall"
    if ours(left):
        yield f"our entries are still there after uninstall: {sorted(ours(left))}"


# -- the text -----------------------------------------------------------------
@EXPECT("preserves_lines")
@when("changed")
def _preserves_lines(_value: bool, seen: SeenFile) -> Iterator[str]:
    lost = lost_line(seen.before.data or b"", seen.after.data or b"")
    if lost is not None:
        yield f"this line is not there any more: {lost[:120]!r}"


@EXPECT("preserves_prefix")
@when("changed")
def _preserves_prefix(value: Any, seen: SeenFile) -> Iterator[str]:
    kept = seen.world.expand(value).encode() if isinstance(value, str) else (seen.before.data or b"")[: int(value)]
    if not (seen.after.data or b"").startswith(kept):
        yield f"the file begins with {(seen.after.data or b'')[:80]!r}"


@EXPECT("prefix")
@when("changed")
def _prefix(value: str, seen: SeenFile) -> Iterator[str]:
    if not without_bom(seen.after.data).startswith(seen.world.expand(value).encode()):
        yield f"expected {value!r}, the file begins with {(seen.after.data or b'')[:80]!r}"


@EXPECT("suffix")
@when("changed")
def _suffix(value: str, seen: SeenFile) -> Iterator[str]:
    if not (seen.after.data or b"").endswith(seen.world.expand(value).encode()):
        yield f"expected {value!r}, the file ends with {(seen.after.data or b'')[-80:]!r}"


@EXPECT("eol")
@when("changed")
def _eol(value: str, seen: SeenFile) -> Iterator[str]:
    wanted = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}[value]
    ends = {end for _, end in split_lines(seen.after.data or b"") if end}
    if ends != {wanted}:
        yield f"expected only {wanted!r}, got {sorted(ends)}"


@EXPECT("no_bare_lf")
@when("changed")
def _no_bare_lf(_value: bool, seen: SeenFile) -> Iterator[str]:
    if re.search(rb"(?<!\r)\n", seen.after.data or b""):
        yield "a line ends with LF alone"


@EXPECT("final_newline")
@when("changed")
def _final_newline(value: bool, seen: SeenFile) -> Iterator[str]:
    if (seen.after.data or b"").endswith((b"\n", b"\r")) != value:
        yield f"expected {value}, the file ends with {(seen.after.data or b'')[-20:]!r}"


@EXPECT("indent")
@when("changed")
def _indent(value: str, seen: SeenFile) -> Iterator[str]:
    unit = b"\t" if value == "tab" else b" " * int(value)
    for line in added_lines(seen.before.data or b"", seen.after.data or b""):
        blank = line[: len(line) - len(line.lstrip())]
        if blank != unit * (len(blank) // len(unit)):
            yield f"expected indentation in steps of {unit!r}: {line[:80]!r}"
            return


@EXPECT("bom")
@when("changed")
def _bom(_value: str, seen: SeenFile) -> Iterator[str]:
    if (seen.after.data or b"").count(_BOM) != 1 or not (seen.after.data or b"").startswith(_BOM):
        yield f"the file begins with {(seen.after.data or b'')[:12]!r}"


@EXPECT("key_order")
@when("changed")
def _key_order(value: list[str], seen: SeenFile) -> Iterator[str]:
    keys = [key for key in seen.value() or {} if key in value]
    if keys != value:
        yield f"expected {value}, got {keys}"


@EXPECT("kept_verbatim")
def _kept_verbatim(value: list[str], seen: SeenFile) -> Iterator[str]:
    for text in value:
        if text.encode() not in (seen.after.data or b""):
            yield f"{text!r} is gone"


@EXPECT("result_valid", "valid")
@when("changed")
def _valid(value: str, seen: SeenFile) -> Iterator[str]:
    text = without_bom(seen.after.data).decode("utf-8")
    readers: dict[str, Callable[[str], Any]] = {
        "json": json.loads, "toml": tomllib.loads, "jsonc": loads_jsonc,
    }  # fmt: skip
    try:
        readers[value](text)
    except ValueError as error:
        yield f"not {value} any more: {error}"


# -- the file system ----------------------------------------------------------
@EXPECT("mode")
@when("changed")
def _mode(value: str, seen: SeenFile) -> Iterator[str]:
    if seen.after.mode != int(value, 8):
        yield f"expected {value}, got {seen.after.mode or 0:04o}"


@EXPECT("mtime_kept")
def _mtime_kept(_value: bool, seen: SeenFile) -> Iterator[str]:
    if seen.before.mtime_ns != seen.after.mtime_ns:
        yield "the file was written again"


@EXPECT("symlink", "dir_symlink")
def _symlink(value: str, seen: SeenFile) -> Iterator[str]:
    if value != "kept":
        yield f"{value!r} is not known"
    if (seen.before.kind, seen.before.link) != (seen.after.kind, seen.after.link):
        yield f"expected a link to {seen.before.link}, got {seen.after.kind} {seen.after.link}"
    if "dir_symlink" in seen.case.section("setup") and not seen.scene.path.parent.is_symlink():
        yield "the folder is no link any more"


@EXPECT("target_updated")
@when("changed")
def _target_updated(_value: bool, seen: SeenFile) -> Iterator[str]:
    if seen.real_after in (None, seen.before.data):
        yield f"the link's target {seen.scene.real} was not changed"


@EXPECT("symlink_target_untouched")
def _foreign_untouched(_value: bool, seen: SeenFile) -> Iterator[str]:
    foreign = seen.scene.foreign
    if foreign is None or foreign.read_bytes() != b"a file of another program\n":
        yield "the foreign file behind the link was written to"


@EXPECT("if_changed")
@when("changed")
def _if_changed(value: str, seen: SeenFile) -> Iterator[str]:
    if value != "both_names_same_bytes":
        yield f"{value!r} is not known"
    elif seen.scene.twin is None or seen.scene.twin.read_bytes() != seen.after.data:
        yield "the two names show different bytes"


@EXPECT("no_second_file")
def _no_second_file(_value: bool, seen: SeenFile) -> Iterator[str]:
    folder = seen.scene.path.parent
    twins = [name for name in seen.names_after[folder] if name.casefold() == seen.scene.path.name.casefold()]
    if len(twins) != 1:
        yield f"got {twins}"


@EXPECT("kept_files")
def _kept_files(value: dict[str, str], seen: SeenFile) -> Iterator[str]:
    for name, content in value.items():
        path = seen.scene.path.parent / name
        if not path.is_file() or path.read_bytes() != content.encode():
            yield f"{name} is gone or changed"


@EXPECT("crash_atomic")
def _crash_atomic(_value: bool, seen: SeenFile) -> Iterator[str]:
    yield from seen.torn[:3]


@EXPECT("reports", "warns")
def _reports(value: Any, seen: SeenFile) -> Iterator[str]:
    if seen.outcome == "refused":
        return
    told = json.dumps(seen.report())
    for code in as_list(value):
        if f'"{code}"' not in told:
            yield f"expected {code} in the report, got {told[:300]}"


@EXPECT("backup_contains")
@when("changed")
def _backup_contains(value: str, seen: SeenFile) -> Iterator[str]:
    if not any(value.encode() in data for data in _backups(seen)):
        yield f"no backup holds {value!r}"


@EXPECT("backup_equals")
@when("changed")
def _backup_equals(value: Any, seen: SeenFile) -> Iterator[str]:
    wanted = seen.before.data if value is True else str(value).encode()
    if wanted not in _backups(seen):
        yield "no backup holds the bytes as they were"


def _backups(seen: SeenFile) -> list[bytes]:
    name = seen.scene.path.name
    beside = [path for path in seen.scene.path.parent.glob(f"{name}*bak*") if path.is_file()]
    kept = [path for path in (seen.world.user_dir / "backups").rglob("*") if path.is_file()]
    return [path.read_bytes() for path in beside + kept]


def without_bom(data: bytes | None) -> bytes:
    return (data or b"").removeprefix(_BOM)


def _difference(before: bytes | None, after: bytes | None) -> str:
    before, after = before or b"", after or b""
    at = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    return f"from byte {at}: {before[at : at + 60]!r} became {after[at : at + 60]!r}"
