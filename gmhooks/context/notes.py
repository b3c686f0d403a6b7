"""Facts in other people's notes: list items of Markdown files, entered once; and facts written out as such a list."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gmhooks.context.blocks import BlockFault, lines, scan
from gmhooks.hooks.admit import Refused, admit
from gmhooks.memory.access import changing, reading
from gmhooks.memory.adding import Draft, add
from gmhooks.memory.views import FactView
from gmhooks.store.env import Store
from gmhooks.store.facts import find_equal
from gmhooks.store.namespaces import find
from gmhooks.store.records import IMPORT
from gmhooks.text.clean import equal_key

INDEX = "MEMORY.md"
_ITEM = re.compile(r"^( *)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s")
_OWN_HEADING = "# Memory of "
_POINTER = re.compile(r"^\[[^\]]*\]\([^)\s]+\.md\)")


@dataclass(frozen=True, slots=True)
class Note:
    """One text that may become a fact, and where it stands."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class Taken:
    """What became of notes: stored (or would be), known already, and refused with line and rule."""

    added: int = 0
    duplicates: int = 0
    refused: list[tuple[Note, str]] = field(default_factory=list)


def sources(path: str) -> list[str]:
    """The file itself, or the Markdown files of a directory, its index first. OSError if it cannot be read."""
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(path) if name.endswith(".md"))
    names.sort(key=lambda name: name != INDEX)
    return [os.path.join(path, name) for name in names]


def read_text(path: str) -> str:
    """A file's text; what is not UTF-8 in it becomes U+FFFD. OSError if it cannot be read."""
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def notes(path: str, text: str) -> list[Note]:
    """The list items of a Markdown text, or its paragraphs if it has none; not headings, code, front matter, managed blocks,
    nor an index's pointers to other files. What is indented below an item belongs to it."""
    kept = list(_own_lines(text.removeprefix("\ufeff")))
    items = list(_items(path, kept))
    found = items or list(_paragraphs(path, kept))
    return [note for note in found if note.text and not _POINTER.match(note.text)]


def enter(
    data_dir: str, user_dir: str, agent_id: str, found: Iterable[Note], now_us: int, *, dry_run: bool = False
) -> Taken:
    """Store what is new, in one transaction. StoreError if the store may not be used."""
    taken = Taken()
    admitted: dict[str, str] = {}
    for note in found:
        try:
            text = admit(note.text).text
        except Refused as refused:
            taken.refused.append((note, refused.code))
            continue
        taken.duplicates += equal_key(text) in admitted
        admitted.setdefault(equal_key(text), text)
    if dry_run:
        with reading(data_dir, user_dir) as store:
            known = sum(_is_known(store, agent_id, text) for text in admitted.values()) if store is not None else 0
        taken.added, taken.duplicates = len(admitted) - known, taken.duplicates + known
        return taken

    def work(store: Store) -> int:
        return sum(add(store, Draft(agent_id, text, IMPORT, 0, now_us))[1] for text in admitted.values())

    taken.added = changing(data_dir, user_dir, work) if admitted else 0
    taken.duplicates += len(admitted) - taken.added
    return taken


def written_out(facts: Iterable[FactView]) -> list[str]:
    """Live facts as Markdown, agent by agent, oldest first; `notes` reads the same texts back."""
    rows: list[str] = []
    owner = None
    # Without its Z a time of fewer decimals is the beginning of a later one, and so sorts before it.
    for fact in sorted(facts, key=lambda fact: (fact.agent_id, fact.created_at.rstrip("Z"), fact.id)):
        if fact.agent_id != owner:
            owner = fact.agent_id
            rows += [*([""] if rows else []), f"{_OWN_HEADING}{' '.join(owner.split())}", ""]
        rows.append("- " + fact.text.replace("\n", "\n  "))
    return rows


def is_written_out(data: bytes) -> bool:
    """Whether a file's bytes have the shape that `written_out` gives: its headings and lists, nothing else."""
    rows = data.decode("utf-8", "replace").split("\n")
    return data.startswith(_OWN_HEADING.encode()) and all(row.startswith((_OWN_HEADING, "- ", "  ")) for row in rows if row)


def _is_known(store: Store, agent_id: str, text: str) -> bool:
    ns = find(store, agent_id)
    return ns is not None and find_equal(store, ns, text) is not None


def _own_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) without front matter, fenced code and managed blocks; those are blank."""
    rows = list(lines(text))
    hidden = {at for block in _blocks(text) for at in range(block[0], block[1] + 1)}
    if rows and rows[0].rstrip() == "---":
        closing = next((at for at, row in enumerate(rows[1:], 2) if row.rstrip() == "---"), 0)
        hidden |= set(range(1, closing + 1))
    fence = ""
    for number, row in enumerate(rows, 1):
        mark = _FENCE.match(row)
        if mark and number not in hidden:
            fence = "" if fence and mark.group(1).startswith(fence) else fence or mark.group(1)
            yield number, ""
        else:
            yield number, "" if fence or number in hidden else row.expandtabs(4)


def _blocks(text: str) -> list[tuple[int, int]]:
    try:
        return [(block.first_line, block.last_line) for block in scan(text).blocks]
    except BlockFault:
        return []


def _items(path: str, rows: list[tuple[int, str]]) -> Iterator[Note]:
    """Each outermost item with everything indented below it."""
    first, indent, parts = 0, 0, list[str]()
    for number, row in [*rows, (0, "end")]:
        item = _ITEM.match(row)
        inside = len(row) - len(row.lstrip(" ")) > indent
        if first and (not row.strip() or inside):
            parts.append(row.strip())
            continue
        if first and (not item or len(item.group(1)) <= indent):
            yield Note(path, first, "\n".join(parts).strip())
            first, parts = 0, []
        if item and not first:
            first, indent, parts = number, len(item.group(1)), [item.group(2)]


def _paragraphs(path: str, rows: list[tuple[int, str]]) -> Iterator[Note]:
    first, parts = 0, list[str]()
    for number, row in [*rows, (0, "")]:
        if row.strip() and not _HEADING.match(row):
            first = first or number
            parts.append(row.strip())
        elif first:
            yield Note(path, first, " ".join(parts))
            first, parts = 0, []
