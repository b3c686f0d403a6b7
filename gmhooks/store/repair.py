"""Cold: make a damaged store whole again from what its records still say. Nothing is deleted: the old file is kept."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass, replace
from functools import partial

from gmhooks.store.aliases import add as add_alias
from gmhooks.store.aliases import rebuild as rebuild_aliases
from gmhooks.store.check import verify
from gmhooks.store.env import open_read
from gmhooks.store.errors import StoreDamaged, StoreNewer
from gmhooks.store.facts import add, pin, retire
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import CHECKPOINTS, EDGES, META, NODES, SCHEMA, TOUCHES, seal, unseal
from gmhooks.store.namespaces import save as save_namespace
from gmhooks.store.records import KIND_ALIAS, Namespace, pack_identity
from gmhooks.store.salvage import salvage
from gmhooks.store.spellings import fold as fold_spellings
from gmhooks.store.spool import FOLDER as SPOOL
from gmhooks.store.spool import pending
from gmhooks.store.swap import held, swap, workshop
from gmhooks.store.trust import registered
from gmhooks.store.writer import run
from gmhooks.text.tokens import ANALYZER_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact
    from gmhooks.store.salvage import Salvage

_TRIES = 500
_BATCH = 1000
_KEYED = (NODES, EDGES)
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair found and did. `problems` is empty for a sound store, which is left as it is. `facts` is what the new
    store holds, `lost` how many facts are known to be missing (None: nothing that was read says how many there were),
    `unnamed` the agent ids that had to be made up; `filed` saves came from
    the spool, `unreadable` files stayed there; `kept` is where the damaged file is."""

    problems: tuple[str, ...]
    facts: int = 0
    lost: int | None = 0
    unnamed: tuple[str, ...] = ()
    filed: int = 0
    unreadable: int = 0
    kept: str = ""
    modes: tuple[str, ...] = ()


def repair(folder: str, user_dir: str) -> Repaired:
    """Check the store of a prepared data directory and, when anything is wrong, build a new one from its readable records,
    with a new index; then file the spool. StoreError when that cannot be done; the old file then stays in its place."""
    modes = repair_modes(folder)
    with held(folder, _TRIES):
        problems = _problems(folder)
        done = _rebuild(folder, user_dir, problems) if problems else Repaired(())
    waiting = len(pending(folder))
    run(folder, _nothing, patient=True, user_dir=user_dir)
    unreadable = len([path for path in _entries(f"{folder}/{SPOOL}") if path.endswith(".fact")])
    return replace(done, filed=waiting, unreadable=unreadable, modes=tuple(modes))


def _nothing(store: Store) -> None:
    """Work of a transaction that only files the spool."""
    del store


def repair_modes(folder: str) -> list[str]:
    """Take from others what rights they have on files of the data directory that are the user's own; what was changed."""
    changed = []
    for path in (folder, *(entry.path for entry in os.scandir(folder)), *_entries(f"{folder}/{SPOOL}")):
        status = os.lstat(path)
        wanted = _PRIVATE_FOLDER if stat.S_ISDIR(status.st_mode) else _PRIVATE_FILE
        ours = status.st_uid == os.geteuid() and (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode))
        if ours and stat.S_IMODE(status.st_mode) != wanted:
            os.chmod(path, wanted)
            changed.append(path)
    return changed


def _entries(folder: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(folder)]
    except OSError:
        return []


def _problems(folder: str) -> tuple[str, ...]:
    if not os.path.lexists(f"{folder}/{DATA_NAME}"):
        return ()  # the next write makes it
    try:
        problems = verify(folder)
        if not problems:
            store = open_read(folder)
            try:
                analyzer = store.identity.analyzer
            finally:
                store.close()
            if analyzer != ANALYZER_ID:
                return (f"its index was made by {analyzer}, this version uses {ANALYZER_ID}",)
    except StoreDamaged as error:
        return (str(error),)
    return tuple(problems)


def _rebuild(folder: str, user_dir: str, problems: tuple[str, ...]) -> Repaired:
    found = salvage(_bytes(f"{folder}/{DATA_NAME}"))
    if found.identity is not None and found.identity.min_writer > SCHEMA:
        raise StoreNewer(f"{folder}: written by {found.identity.created_by}; upgrade gmhooks to repair it")
    _merge_doubles(found)
    with workshop(folder, "repair") as aside:
        spaces = _spaces(found)
        _fill(aside, found, spaces, registered(user_dir, folder))
        wrong = verify(aside)
        if wrong:
            raise StoreDamaged(f"the repaired store is not sound: {wrong[0]}")
        kept = swap(folder, f"{aside}/{DATA_NAME}", "damaged", time.time())
    erased = sum(ns.erased for ns in found.namespaces.values())
    lost = max(sum(ns.erased for ns in spaces) - erased, 0) if found.namespaces else None
    unnamed = tuple(ns.agent_id for ns in spaces if ns.number not in found.namespaces)
    return Repaired(problems, len(found.facts), lost, unnamed, kept=kept)


def _bytes(path: str) -> bytes:
    """Content of a regular file; nothing of anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return b""
    with open(fd, "rb") as file:
        return file.read()


def _merge_doubles(found: Salvage) -> None:
    """Make one of several namespaces of one agent id: a save that does not find the namespace in a damaged store begins a
    new one."""
    firsts: dict[str, Namespace] = {}
    for number in sorted(found.namespaces):
        ns = found.namespaces[number]
        first = firsts.setdefault(ns.agent_id, ns)
        if first is not ns:
            _append(found, ns, first)


def _append(found: Salvage, ns: Namespace, first: Namespace) -> None:
    """Put the facts of `ns` behind those of `first`, and its checkpoints beside them. Its recall counts are let go."""
    del found.namespaces[ns.number]
    taken = [doc for number, doc in found.facts if number == first.number]
    at = max([first.next_doc, *(doc + 1 for doc in taken)])
    for doc in sorted(doc for number, doc in found.facts if number == ns.number):
        fact = found.facts.pop((ns.number, doc))
        fact.ns, fact.doc = first.number, at
        found.facts[first.number, at] = fact
        at += 1
    prefix = ns.number.to_bytes(4, "big")
    for name, key in [each for each in found.others if each[0] in (TOUCHES, CHECKPOINTS) and each[1].startswith(prefix)]:
        body = unseal(key, found.others.pop((name, key)))
        if name == CHECKPOINTS and body is not None:
            moved = first.number.to_bytes(4, "big") + key[4:]
            found.others[name, moved] = seal(moved, body)


def _spaces(found: Salvage) -> list[Namespace]:
    """New namespaces with the numbers and names of the old ones; a name that is lost becomes `recovered-<number>`."""
    numbers = sorted({*found.namespaces, *(number for number, _ in found.facts)})
    spaces = []
    for number in numbers:
        old = found.namespaces.get(number)
        spaces.append(Namespace(number, old.agent_id if old else f"recovered-{number}"))
    return spaces


def _fill(aside: str, found: Salvage, spaces: list[Namespace], trusted_id: str | None) -> None:
    """Write everything into a new store, in transactions of 1,000 facts."""

    def begin(store: Store) -> None:
        identity = found.identity or store.identity
        if found.identity is None and trusted_id is not None:
            identity.store_id = trusted_id
        identity.analyzer = ANALYZER_ID
        store.identity = identity
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(identity)))
        for (name, key), value in found.others.items():
            if found.identity is not None or name not in _KEYED:
                store.put(name, key, value)
        for ns in spaces:
            save_namespace(store, ns)

    run(aside, begin)
    for ns in spaces:
        docs = sorted(doc for number, doc in found.facts if number == ns.number)
        facts = [found.facts[ns.number, doc] for doc in docs]
        for at in range(0, len(facts), _BATCH):
            run(aside, partial(_enter, ns, facts[at : at + _BATCH]))
        run(aside, partial(_close, ns, found, len(facts)))
    run(aside, fold_spellings)


def _enter(ns: Namespace, facts: list[Fact], store: Store) -> None:
    """Add facts under their old numbers, in the state they were in."""
    for old in facts:
        ns.next_doc = old.doc
        if old.kind == KIND_ALIAS:
            new = add_alias(store, ns, old.text, old.created_us, old.source, old.id)
        else:
            new = add(store, ns, old.text, old.created_us, old.source, old.confidence, old.id, as_dated=True)
        if old.pinned:
            pin(store, new, old.pinned_us)
        if not old.live:
            retire(store, ns, new, old.superseded_by)
            if old.kind == KIND_ALIAS:
                rebuild_aliases(store, ns)


def _close(ns: Namespace, found: Salvage, count: int, store: Store) -> None:
    """Go on counting where the old namespace stood; numbers without a fact count as erased."""
    old = found.namespaces.get(ns.number, ns)
    ns.next_doc = max(ns.next_doc, old.next_doc)
    ns.last_created_us = max(ns.last_created_us, old.last_created_us)
    ns.last_id = max(ns.last_id, old.last_id)
    ns.erased = ns.next_doc - count
    save_namespace(store, ns)
