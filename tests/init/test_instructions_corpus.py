"""Every instruction-file case of the handed corpus, run in process."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT, begin, end
from gmhooks.context.render import choose
from gmhooks.init.instruct import BlockReport, Wish, settle
from gmhooks.store.records import SOURCES
from tests.shared_material import SHARED, needs_shared

pytestmark = needs_shared

_FOLDER = SHARED / "corpora" / "instructions" if SHARED else None
_CASES: list[dict[str, Any]] = (
    [case for case in json.loads((_FOLDER / "index.json").read_text("utf-8"))["cases"] if "needs" not in case]
    if _FOLDER
    else []
)
_USER = SOURCES.index("user")


def body(block: str) -> str:
    return "\n".join(block.split("\n")[1:-1])


OLD = body(choose([("An older fact", _USER)], 512).block)


def wanted(case: dict[str, Any]) -> str:
    tokens = {"@@BEGIN@@": begin(CONTEXT), "@@END@@": end(CONTEXT)}
    texts = case.get("store") or ["A fact of today"]
    for token, value in tokens.items():
        texts = [text.replace(token, value) for text in texts]
    return choose([(text, _USER) for text in texts], 512).block


def expand(data: bytes, block: str) -> bytes:
    tokens = {"@@BEGIN@@": begin(CONTEXT), "@@END@@": end(CONTEXT), "@@OLDBODY@@": OLD, "@@BODY@@": body(block)}
    for token, value in tokens.items():
        data = data.replace(token.encode(), value.encode())
    return data


def arrange(file: Path, data: bytes, setup: dict[str, Any], victim: Path) -> None:
    kind = setup.get("special")
    if setup.get("symlink") == "dangling":
        file.symlink_to(file.with_name("nowhere"))
    elif kind:
        {"dir": os.mkdir, "fifo": os.mkfifo}[kind](file)
    elif not setup.get("absent"):
        file.write_bytes(data)
    if "mode" in setup:
        file.chmod(int(setup["mode"], 8))
    if setup.get("hardlink"):
        os.link(file, file.with_name("AGENTS.md"))
    if setup.get("bak_symlink"):
        victim.write_text("precious")
        file.with_name(file.name + ".bak").symlink_to(victim)


def version(file: Path) -> tuple[int, int]:
    """Which file it is and when it was last written."""
    held = file.stat()
    return held.st_ino, held.st_mtime_ns


def outside(data: bytes) -> tuple[str, str]:
    text = data.decode("utf-8-sig")
    found = blocks.scan(text).of(CONTEXT)
    return (text[: found[0].start], text[found[0].stop :]) if found else (text, "")


def check_changed(case: dict[str, Any], file: Path, data: bytes, report: BlockReport) -> None:
    expect, new = case["expect"], file.read_bytes()
    text = new.decode("utf-8-sig")
    count = len(blocks.scan(text).of(CONTEXT))
    assert count == expect.get("blocks", expect.get("if_changed_blocks", 1))
    if expect.get("outside_bytes_identical"):
        before, after = outside(data)
        now_before, now_after = outside(new)
        assert now_before.startswith(before)
        assert now_after == after or not after
    prefix = expand(expect.get("prefix", "").encode(), wanted(case)).decode()
    assert text.startswith(prefix)
    assert text.endswith(expect.get("suffix", ""))
    if expect.get("no_bare_lf"):
        assert b"\n" not in new.replace(b"\r\n", b"")
    if "final_newline" in expect:
        assert new.endswith(b"\n") is expect["final_newline"]
    if expect.get("bom"):
        assert new.startswith(b"\xef\xbb\xbf")
        assert b"\xef\xbb\xbf" not in new[3:]
    if "mode" in expect:
        assert stat.S_IMODE(file.stat().st_mode) == int(expect["mode"], 8)
    for kept in expect.get("kept_verbatim", []):
        assert kept in text
    assert not report.edited


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_case_ends_as_the_corpus_says(case: dict[str, Any], tmp_path: Path) -> None:
    assert _FOLDER is not None
    expect, block = case["expect"], wanted(case)
    file, own, victim = tmp_path / "project" / "CLAUDE.md", str(tmp_path / "home" / "own"), tmp_path / "victim"
    file.parent.mkdir()
    (tmp_path / "home").mkdir()
    data = expand((_FOLDER / case["file"]).read_bytes(), block)
    arrange(file, data, case.get("setup", {}), victim)
    names, started = sorted(os.listdir(file.parent)), time.monotonic()

    report = settle(str(file), Wish(CONTEXT, block, beside=True), own)

    assert time.monotonic() - started < 10 * expect.get("max_seconds", 2)
    outcomes = expect["outcome"] if isinstance(expect["outcome"], list) else [expect["outcome"]]
    assert {"created": "changed", "updated": "changed"}.get(report.outcome, report.outcome) in outcomes, report.message
    if victim.exists():
        assert victim.read_text() == "precious"
    if report.refused:
        assert report.reason == expect["reason"]
        assert str(file) in report.message
        assert sorted(os.listdir(file.parent)) == names
        assert not file.is_file() or file.read_bytes() == data
        return
    if report.outcome == "unchanged":
        assert file.read_bytes() == data
        return
    check_changed(case, file, data, report)
    held = version(file)
    assert settle(str(file), Wish(CONTEXT, block, beside=True), own).outcome == "unchanged"
    assert version(file) == held
