"""Forgetting so that no byte stays: the fact and its copies, what quotes it in the store, and the files beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gmhooks.hooks.session import BLOCK, BLOCKS_AT, FILE, SETS, WAYS
from gmhooks.hooks.targets import retire_all
from gmhooks.memory.errors import NotFound
from gmhooks.memory.targets import find_targets
from gmhooks.store.env import Store
from gmhooks.store.facts import by_suffix, erase, everything, short_id
from gmhooks.store.guard import DATA_NAME, LOCK_SUFFIX
from gmhooks.store.ids import encode
from gmhooks.store.later import present
from gmhooks.store.layout import AUDIT, CHECKPOINTS, unseal
from gmhooks.store.namespaces import find, listed
from gmhooks.store.nodes import canonical, erase_naming
from gmhooks.store.records import Fact, Namespace
from gmhooks.text.clean import clean, equal_key

MARKER = "purging"
OUT_OF_REACH = (
    "transcripts and file history that Claude Code keeps itself (~/.claude)",
    "exports, and blocks in CLAUDE.md or AGENTS.md until the next graymatter context-sync",
    "copies and snapshots of this directory made elsewhere, and what a disk keeps of deleted files",
)
_HEADS = {CHECKPOINTS: 9, AUDIT: 8}
_TELLING = 80
_LOGS = ("hooks.log", "hooks.log.1")
_AT_WORK = (DATA_NAME, DATA_NAME + LOCK_SUFFIX, FILE, *_LOGS)


@dataclass(frozen=True, slots=True)
class Erased:
    """What left the store: (fact, short id) of each copy, and which other agents hold the same text."""

    agent_id: str
    facts: tuple[tuple[Fact, str], ...]
    also_at: tuple[str, ...]


def erase_all(store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool) -> Erased:
    """Erase the fact that `target` means, live or retired, with every copy of its text in its namespace, and checkpoints,
    audit entries and graph records that quote it (write). NotFound or Ambiguous."""
    ns, first = _meant(store, target, agent_ids, ids_anywhere=ids_anywhere)
    key = equal_key(first.text)
    facts = [fact for fact in everything(store, ns) if fact.id == first.id or equal_key(fact.text) == key]
    named = tuple((fact, short_id(store, fact)) for fact in facts)
    retire_all(store, ns, [fact for fact in facts if fact.live])
    for fact in facts:
        erase(store, ns, fact)
    # A checkpoint may hold only the beginning of a long prompt.
    texts = {fact.text[:_TELLING] for fact in facts}
    for name in (CHECKPOINTS, AUDIT):
        _drop_quotes(store, name, texts)
    erase_naming(store, texts, {fact.id for fact in facts})
    others = [space for space in listed(store) if space.number != ns.number]
    also = [space.agent_id for space in others if any(equal_key(fact.text) == key for fact in everything(store, space))]
    return Erased(ns.agent_id, named, tuple(also))


def begin(data_dir: str) -> bool:
    """Mark that a purge is on its way; True if an earlier one never came to its end. OSError when that cannot be done."""
    try:
        os.close(os.open(os.path.join(data_dir, MARKER), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return True
    return False


def end(data_dir: str) -> None:
    """Drop the mark: no free page holds what was erased."""
    os.unlink(os.path.join(data_dir, MARKER))


def scrub_files(data_dir: str, erased: Erased) -> None:
    """Blank the traces that files at work hold: last blocks, receipts that name the facts. OSError when that fails."""
    _blank_blocks(os.path.join(data_dir, FILE))
    names = {name for fact, short in erased.facts for name in (encode(fact.id), short)}
    for log in _LOGS:
        _blank_lines(os.path.join(data_dir, log), [name.encode() for name in names])


def remove_copies(data_dir: str, erased: Erased) -> list[str]:
    """Remove other files of the data directory that hold the text: backups, stores that were replaced, spool files nobody
    could read; their paths. OSError when one cannot be removed."""
    removed = []
    for path in holders(data_dir, {fact.text[:_TELLING] for fact, _ in erased.facts}):
        if path.name not in _AT_WORK:
            path.unlink()
            removed.append(str(path))
    return removed


def holders(folder: str, texts: set[str]) -> Iterator[Path]:
    """Regular files below a folder that hold one of these texts, as it is or as JSON writes it."""
    forms = {form for text in texts for form in _written(text)}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink() and any(form in path.read_bytes() for form in forms):
            yield path


def _meant(store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool) -> tuple[Namespace, Fact]:
    """The live fact that the target means, else a retired one with that id or text."""
    try:
        ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
    except NotFound:
        spaces = [ns for ns in (find(store, agent_id) for agent_id in agent_ids) if ns is not None]
        named = {fact.id for fact in by_suffix(store, target.strip().strip("[]` "))}
        key = equal_key(clean(target)[0])
        for ns in [*spaces, *(listed(store) if ids_anywhere else ())]:
            for fact in everything(store, ns):
                if fact.id in named or (ns in spaces and equal_key(fact.text) == key):
                    return ns, fact
        raise
    return ns, facts[0]


def _drop_quotes(store: Store, name: bytes, texts: set[str]) -> None:
    """Delete the JSON records of a sub-database in which one of the texts occurs."""
    if not present(store, name):
        return
    cursor = store.cursor(name)
    more = cursor.first()
    while more:
        body = unseal(cursor.key(), cursor.value())
        quoting = body is not None and _quotes(body[_HEADS[name] :], texts)
        more = cursor.delete() if quoting else cursor.next()


def _quotes(body: bytes, texts: set[str]) -> bool:
    """Whether a text occurs as it is, or as the name of a node that was made of it."""
    try:
        said = json.dumps(json.loads(body), ensure_ascii=False)
    except ValueError:
        said = body.decode("utf-8", "replace")
    names = {canonical(text) for text in texts}
    return any(json.dumps(form, ensure_ascii=False)[1:-1] in said for form in texts | names)


def _written(text: str) -> set[bytes]:
    return {
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    }


def _blank_blocks(path: str) -> None:
    """Zero the areas of the last printed blocks: they are only kept to be looked at."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        end = min(os.fstat(fd).st_size, BLOCKS_AT + BLOCK * WAYS * SETS)
        if end > BLOCKS_AT:
            os.pwrite(fd, bytes(end - BLOCKS_AT), BLOCKS_AT)
    finally:
        os.close(fd)


def _blank_lines(path: str, names: list[bytes]) -> None:
    """Overwrite with blanks, in place, the lines that hold one of the names: others may be appending meanwhile."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    with os.fdopen(fd, "r+b", buffering=0) as file:
        at = 0
        for line in file.read().splitlines(keepends=True):
            if any(name in line for name in names):
                os.pwrite(fd, b" " * (len(line.rstrip(b"\n"))), at)
            at += len(line)
