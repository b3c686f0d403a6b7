"""Markdown notes as facts: what counts as one, entered once, and written out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT
from gmhooks.context.notes import enter, notes, sources, written_out
from gmhooks.memory.api import Memory

NOW = 1_800_000_000_000_000


def texts(text: str) -> list[str]:
    return [note.text for note in notes("x.md", text)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("# A\n- one\n* two\n+ three\n1. four\n2) five\n", ["one", "two", "three", "four", "five"]),
        ("- one\n  goes on\n  - inner\n- two\n", ["one\ngoes on\n- inner", "two"]),
        ("- one\n\n  second paragraph\n\n- two\n", ["one\n\nsecond paragraph", "two"]),
        ("- [ ] open\n- [x] done\n", ["open", "done"]),
        ("```\n- code\n```\n- real\n", ["real"]),
        ("---\nname: x\ntags:\n- a\n---\n- real\n", ["real"]),
        ("- [Build](build.md) — how to build\n- see [docs](https://x)\n", ["see [docs](https://x)"]),
        (f"{blocks.render(CONTEXT, '- ours')}\n\n- theirs\n", ["theirs"]),
        ("# Build\n\nUse tabs\nand make.\n\nTests need the VPN.\n", ["Use tabs and make.", "Tests need the VPN."]),
        ("\ufeff- one\r\n- two\r\n", ["one", "two"]),
        ("prose\n- item\nmore prose\n- other\n", ["item", "other"]),
        ("", []),
    ],
)
def test_what_becomes_a_fact(text: str, facts: list[str]) -> None:
    assert texts(text) == facts


def test_a_directory_means_its_markdown_files_index_first(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "MEMORY.md", "x.txt"):
        (tmp_path / name).write_text("x")

    assert [Path(path).name for path in sources(str(tmp_path))] == ["MEMORY.md", "a.md", "b.md"]


def test_notes_enter_once_and_secrets_never(memory: Memory) -> None:
    secret = "ghp_" + "FAKEEXAMPLE" * 3 + "abc"
    found = notes("x.md", f"- Use tabs\n- use tabs.\n- The token is {secret}\n- Tests need the VPN\n")

    looked = enter(memory.data_dir, memory.user_dir, "app", found, NOW, dry_run=True)
    assert (looked.added, looked.duplicates, len(memory.list("app"))) == (2, 1, 0)
    done = enter(memory.data_dir, memory.user_dir, "app", found, NOW)
    assert (done.added, done.duplicates) == (2, 1)
    assert [(note.line, code) for note, code in done.refused] == [(3, "secret:github_token")]
    again = enter(memory.data_dir, memory.user_dir, "app", found, NOW)
    assert (again.added, again.duplicates) == (0, 3)
    stored = {(fact.text, fact.source) for fact in memory.list("app")}
    assert stored == {("Use tabs", "import"), ("Tests need the VPN", "import")}


def test_what_is_written_out_reads_back_as_the_same_facts(memory: Memory) -> None:
    memory.remember("app", "one line")
    memory.remember("app", "two\nlines")
    memory.remember("other", "theirs")

    rows = written_out(memory.list())

    assert rows == ["# Memory of app", "", "- one line", "- two\n  lines", "", "# Memory of other", "", "- theirs"]
    assert texts("\n".join(rows)) == ["one line", "two\nlines", "theirs"]


def test_notes_of_one_file_keep_its_order_whatever_decimals_their_times_have(memory: Memory) -> None:
    listed = [f"note {number}" for number in range(12)]
    enter(memory.data_dir, memory.user_dir, "app", notes("x.md", "\n".join(f"- {text}" for text in listed)), NOW)

    assert texts("\n".join(written_out(memory.list()))) == listed
