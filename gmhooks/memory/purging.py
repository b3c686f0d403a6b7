"""Forgetting so that no byte stays: the fact and its copies, what quotes it in the store, and the files beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gmhooks.hooks.session import BLOCK, BLOCKS_AT, FILE, SETS, WAYS
from gmhooks.hooks.targets import retire_all
from gmhooks.memory.errors import NotFound
from gmhooks.memory.quoting import Wording, blank_quotes
from gmhooks.memory.targets import find_targets, live_or_retired
from gmhooks.store.backup import FOLDER as BACKUPS
from gmhooks.store.env import Store
from gmhooks.store.facts import erase, everything, short_id
from gmhooks.store.forgotten import drop
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.ids import encode
from gmhooks.store.layout import HEADER, encode_text
from gmhooks.store.learning import drop as drop_evidence
from gmhooks.store.namespaces import find, listed
from gmhooks.store.nodes import erase_naming
from gmhooks.store.records import Fact, Namespace
from gmhooks.store.spool import FOLDER as SPOOL
from gmhooks.store.spool import pending
from gmhooks.text.clean import equal_key

OUT_OF_REACH = (
    "transcripts and file history that Claude Code keeps itself (~/.claude)",
    "exports, and blocks in CLAUDE.md or AGENTS.md until the next graymatter context-sync",
    "copies and snapshots of this directory made elsewhere, and what a disk keeps of deleted files",
)
_TELLING = 80
_LOGS = ("hooks.log", "hooks.log.1")
_WORKSHOPS = ("backup-*", "restore-*", "repair-*")
_COPIES = (
    f"{BACKUPS}/*",
    *(f"{DATA_NAME}.{why}-*" for why in ("damaged", "replaced")),
    *(f"{shop}/{DATA_NAME}" for shop in _WORKSHOPS),
)
_USERS = ("backups/*", "ledger/*", "reports/*")


@dataclass(frozen=True, slots=True)
class Erased:
    """What left the store: (fact, short id) of each copy; which other agents hold the same text; records of the store with
    blanked strings, for people."""

    agent_id: str
    facts: tuple[tuple[Fact, str], ...]
    also_at: tuple[str, ...]
    changed: tuple[str, ...]


def erase_all(store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool) -> Erased:
    """Erase the fact that `target` means, live or retired, with every copy of its text in its namespace, its nodes in the
    graph, and the strings of checkpoints and audit entries that are this text (write). NotFound or Ambiguous."""
    ns, first = _meant(store, target, agent_ids, ids_anywhere=ids_anywhere)
    key = equal_key(first.text)
    facts = [fact for fact in everything(store, ns) if fact.id == first.id or equal_key(fact.text) == key]
    named = tuple((fact, short_id(store, fact)) for fact in facts)
    retire_all(store, ns, [fact for fact in facts if fact.live])
    for fact in facts:
        erase(store, ns, fact)
    wording = Wording(fact.text for fact in facts)
    changed = blank_quotes(store, wording)
    drop(store, {fact.id for fact in facts})
    drop_evidence(store, ns.number)
    erase_naming(store, wording.same, {fact.id for fact in facts})
    others = [space for space in listed(store) if space.number != ns.number]
    also = [space.agent_id for space in others if any(equal_key(fact.text) == key for fact in everything(store, space))]
    return Erased(ns.agent_id, named, tuple(also), tuple(changed))


def scrub_files(data_dir: str, erased: Erased | None) -> None:
    """Blank the traces that files at work hold: last blocks, receipts that name the facts. OSError when that fails."""
    _blank_blocks(os.path.join(data_dir, FILE))
    if erased is not None:
        names = {name for fact, short in erased.facts for name in (encode(fact.id), short)}
        for log in _LOGS:
            _blank_lines(os.path.join(data_dir, log), [name.encode() for name in names])


def remove_copies(data_dir: str, erased: Erased) -> list[str]:
    """Remove copies of the store that hold the text (backups, stores that were replaced, what killed processes left of
    either) and spool files of it, among those nobody can read all that hold it; their paths. OSError when one cannot be
    removed."""
    removed = []
    texts = {fact.text for fact, _ in erased.facts}
    for path in [*holders(data_dir, _COPIES, texts), *_spooled(data_dir, erased.agent_id, texts)]:
        path.unlink(missing_ok=True)
        removed.append(str(path))
    return removed


def told_elsewhere(user_dir: str, erased: Erased) -> list[str]:
    """Paths of files that we keep for the user himself and that hold one of the texts."""
    return [str(path) for path in holders(user_dir, _USERS, {fact.text for fact, _ in erased.facts})]


def holders(folder: str, patterns: Iterable[str], texts: set[str]) -> Iterator[Path]:
    """Regular files of these names below a folder that hold one of the texts or the beginning of one, as it is or as JSON
    writes it."""
    forms = {form for text in texts for form in _written(text[:_TELLING])}
    for path in sorted({path for pattern in patterns for path in Path(folder).glob(pattern)}):
        if path.is_file() and not path.is_symlink() and any(form in path.read_bytes() for form in forms):
            yield path


def _spooled(data_dir: str, agent_id: str, texts: set[str]) -> list[Path]:
    """Spool files that hold one of the texts: readable ones of this agent with an equal text; a record that still has its
    temporary name counts when it is exactly this text; any other file when the text occurs in it."""
    folder, wording = Path(data_dir, SPOOL), Wording(texts)
    found, readable = [], set()
    for spooled in pending(data_dir):
        readable.add(spooled.name)
        if spooled.agent_id == agent_id and wording.same(spooled.text):
            found.append(folder / spooled.name)
    agent = len(encode_text(agent_id)).to_bytes(4, "little") + encode_text(agent_id)
    bodies = [text.encode() for text in texts]
    tails = tuple(agent + body for body in bodies)
    audited = [agent + len(body).to_bytes(4, "little") + body for body in bodies]
    for path in holders(data_dir, [f"{SPOOL}/*"], texts):
        raw = path.read_bytes()
        on_its_way = path.name.endswith(".tmp") and int.from_bytes(raw[4:8], "little") == len(raw) - HEADER
        exactly = raw.endswith(tails) or any(body in raw for body in audited)
        if path.name not in readable and (exactly or not on_its_way):
            found.append(path)
    return found


def _meant(store: Store, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool) -> tuple[Namespace, Fact]:
    """The live fact that the target means, else a retired one with that id or text."""
    try:
        ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
    except NotFound:
        spaces = [ns for ns in (find(store, agent_id) for agent_id in agent_ids) if ns is not None]
        found = live_or_retired(store, target, spaces, listed(store) if ids_anywhere else ())
        if found:
            return found[0]
        raise
    return ns, facts[0]


def _written(text: str) -> set[bytes]:
    return {
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    }


def _is_ours(path: str) -> bool:
    """Whether a regular file is there; nothing else can hold what hooks wrote."""
    return os.path.isfile(path) and not os.path.islink(path)


def _blank_blocks(path: str) -> None:
    """Zero the areas of the last printed blocks: they are only kept to be looked at."""
    if not _is_ours(path):
        return
    fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        end = min(os.fstat(fd).st_size, BLOCKS_AT + BLOCK * WAYS * SETS)
        if end > BLOCKS_AT:
            os.pwrite(fd, bytes(end - BLOCKS_AT), BLOCKS_AT)
    finally:
        os.close(fd)


def _blank_lines(path: str, names: list[bytes]) -> None:
    """Overwrite with blanks, in place, the lines that hold one of the names: others may be appending meanwhile."""
    if not _is_ours(path):
        return
    fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "r+b", buffering=0) as file:
        at = 0
        for line in file.read().splitlines(keepends=True):
            if any(name in line for name in names):
                os.pwrite(fd, b" " * (len(line.rstrip(b"\n"))), at)
            at += len(line)
