"""Hot, for writers only: every change goes through here. Lock, look at the spool, work, commit, then forget the spool.

The lock is tried, never waited for without limit: a save that finds it busy stays in the spool instead, durably. Every save
is written there before LMDB sees it, because a damaged store can kill the process.
"""

from __future__ import annotations

from posix import environ, getpid, kill, unlink

from gmhooks.store.birth import give_birth
from gmhooks.store.env import open_read, open_write, translate
from gmhooks.store.errors import StoreBusy, StoreError, StoreMissing
from gmhooks.store.facts import add as add_fact
from gmhooks.store.facts import by_suffix, find_equal, short_id
from gmhooks.store.freelist import check_way
from gmhooks.store.ids import SHORT, encode, new_id
from gmhooks.store.layout import FACTS, fact_key
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.namespaces import ensure
from gmhooks.store.spool import Spooled, drop, pending, put, settle
from gmhooks.store.trust import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from gmhooks.store.env import Store

    T = TypeVar("T")
    Entry = tuple[str, str, int, int]

_HURRIED = (3, 0.001)
_PATIENT = (200, 0.01)
_LARGEST_FACTOR = 32


class Saved:
    """What became of one save: `outcome` is "saved", "duplicate" (of `id`) or "spooled"; `short_id` is for people. `doc`:
    the fact's number in its namespace, -1 of a spooled one. `reason`: the code of the StoreError that kept a spooled one out
    of the store, "" when it was not tried."""

    __slots__ = ("agent_id", "doc", "id", "outcome", "reason", "short_id", "text")

    def __init__(
        self, outcome: str, fact_id: bytes, short_id: str, text: str, agent_id: str, doc: int = -1, reason: str = ""
    ) -> None:
        self.outcome = outcome
        self.id = fact_id
        self.short_id = short_id
        self.text = text
        self.agent_id = agent_id
        self.doc = doc
        self.reason = reason


def run(
    folder: str, work: Callable[[Store], T], patient: bool = False, user_dir: str = "", own: tuple[bytes, ...] = ()
) -> T:
    """Do `work` in one durable write transaction, after draining the spool into it. Raises StoreError, and whatever
    `work` raises; nothing is changed then. `patient` waits up to 2 s for the lock, else 2 ms. A prepared directory gets its
    store here, which is trusted from birth when `user_dir` says where. Spooled saves of the ids `own` are left to `work`."""
    try:
        lock = try_lock(folder, *(_PATIENT if patient else _HURRIED))
    except FileNotFoundError:
        raise StoreMissing(f"{folder}: not prepared; run `graymatter init` in the project") from None
    except OSError as error:
        raise translate(error, folder) from None
    if lock is None:
        raise StoreBusy(f"{folder}: another process is writing")
    try:
        probe("after_flock")
        if give_birth(folder) and user_dir:
            _trust(folder, user_dir)
        return _grown(folder, work, own)
    finally:
        unlock(lock)


def _trust(folder: str, user_dir: str) -> None:
    """Trust the store that was just made; one that cannot be trusted is not left behind."""
    store = open_read(folder)
    try:
        register(user_dir, folder, store.identity.store_id)
    except OSError as error:
        unlink(store.path)
        raise translate(error, user_dir) from None
    finally:
        store.close()


def _grown(folder: str, work: Callable[[Store], T], own: tuple[bytes, ...]) -> T:
    """Commit `work`, with a larger map each time it does not fit (deletes need room too)."""
    factor = 1
    while True:
        store = open_write(folder, factor)
        try:
            drained = _drain(store, folder, own)
            result = work(store)
            probe("before_commit")
            store.txn.commit()
            store.txn = None
            probe("after_commit")
            break
        except Exception as error:
            if type(error).__name__ == "MapFullError" and factor < _LARGEST_FACTOR:
                factor *= 2
                continue
            if type(error).__module__.startswith("lmdb") or isinstance(error, MemoryError):
                raise translate(error, store.path) from None
            raise
        finally:
            store.close()
    for spooled in drained:
        drop(folder, spooled)
    return result


def _drain(store: Store, folder: str, own: tuple[bytes, ...]) -> list[Spooled]:
    """Enter every spooled save that the store does not hold yet."""
    found = [spooled for spooled in pending(folder) if spooled.id not in own]
    for spooled in found:
        if not by_suffix(store, encode(spooled.id)):
            ns = ensure(store, spooled.agent_id)
            if find_equal(store, ns, spooled.text) is None:
                check_way(store.path, FACTS, fact_key(ns.number, ns.next_doc))
                add_fact(store, ns, spooled.text, spooled.created_us, spooled.source, spooled.confidence, spooled.id)
            if spooled.audit:
                from gmhooks.store.audit import record_once

                record_once(store, spooled.audit, spooled.created_us)
    return found


def set_aside(folder: str, entries: list[Entry], now_us: int) -> list[Spooled | OSError]:
    """Write saves, each (agent id, clean and checked text, source, confidence), to the spool without syncs: from here on no
    death of this process loses them. Ids ascend. An entry that cannot be written becomes the error. `save`, `withdraw` end
    this."""
    made: list[Spooled | OSError] = []
    last = b""
    for agent_id, text, source, confidence in entries:
        last = new_id(now_us // 1000, last)
        spooled = Spooled(last, now_us, agent_id, text, source, confidence)
        try:
            put(folder, spooled, durable=False)
            made.append(spooled)
        except OSError as error:
            made.append(error)
    probe("after_aside")
    return made


def withdraw(folder: str, aside: list[Spooled | OSError]) -> None:
    """Forget what was set aside: it may not be saved."""
    for spooled in aside:
        if not isinstance(spooled, OSError):
            drop(folder, spooled)


def keep(folder: str, aside: list[Spooled | OSError], reason: str = "") -> list[Saved]:
    """Leave what was set aside in the spool, durably, for a later writer; `reason` as in `Saved`. OSError when one of them
    could not be written; nothing is saved then."""
    try:
        for spooled in aside:
            if isinstance(spooled, OSError):
                raise spooled
            settle(folder, spooled)
    except OSError:
        withdraw(folder, aside)
        raise
    found = [spooled for spooled in aside if not isinstance(spooled, OSError)]
    return [Saved("spooled", one.id, encode(one.id)[-SHORT:], one.text, one.agent_id, reason=reason) for one in found]


def save(
    folder: str, entries: list[Entry], now_us: int, patient: bool = False, user_dir: str = "",
    aside: list[Spooled | OSError] | None = None,
) -> list[Saved]:  # fmt: skip
    """Save clean, checked texts, each (agent id, text, source, confidence), in one transaction; `aside` is what `set_aside`
    made of them already. When the store cannot take them they stay in the spool; OSError or StoreError only when that fails
    too, and then nothing was saved."""
    if aside is None:
        aside = set_aside(folder, entries, now_us)
    ids = [None if isinstance(spooled, OSError) else spooled.id for spooled in aside]

    def work(store: Store) -> list[Saved]:
        done = []
        for (agent_id, text, source, confidence), fact_id in zip(entries, ids, strict=True):
            ns = ensure(store, agent_id)
            known = find_equal(store, ns, text)
            if known is None:
                check_way(store.path, FACTS, fact_key(ns.number, ns.next_doc))
            fact = known or add_fact(store, ns, text, now_us, source, confidence, fact_id)
            # One with our own id was filed by another writer, from the spool.
            outcome = "duplicate" if known and known.id != fact_id else "saved"
            done.append(Saved(outcome, fact.id, short_id(store, fact), text, agent_id, fact.doc))
        return done

    try:
        done = run(folder, work, patient, user_dir, tuple([fact_id for fact_id in ids if fact_id]))
    except StoreMissing:
        withdraw(folder, aside)
        raise
    except StoreError as error:
        return keep(folder, aside, error.code)
    probe("before_unlink")
    withdraw(folder, aside)
    return done


def probe(place: str) -> None:
    """A named place where a fault test may kill this process: inert unless GM_FAULT names it."""
    if environ.get(b"GM_FAULT") == place.encode():
        kill(getpid(), 9)
