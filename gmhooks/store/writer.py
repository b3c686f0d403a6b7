"""Hot, for writers only: every change goes through here. Lock, look at the spool, work, commit, then forget the spool.

The lock is tried, never waited for without limit: a save that finds it busy goes to the spool instead, durably.
"""

from __future__ import annotations

from gmhooks.store.birth import give_birth
from gmhooks.store.env import open_read, open_write, translate
from gmhooks.store.errors import StoreBusy, StoreError, StoreMissing
from gmhooks.store.facts import add as add_fact
from gmhooks.store.facts import by_suffix, find_equal, short_id
from gmhooks.store.ids import SHORT, encode, new_id
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.namespaces import ensure
from gmhooks.store.spool import Spooled, drop, pending, put
from gmhooks.store.trust import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from gmhooks.store.env import Store

    T = TypeVar("T")

_HURRIED = (3, 0.001)
_PATIENT = (200, 0.01)
_LARGEST_FACTOR = 64


class Saved:
    """What became of one save: `outcome` is "saved", "duplicate" (of `id`) or "spooled"; `short_id` is for people."""

    __slots__ = ("agent_id", "id", "outcome", "short_id", "text")

    def __init__(self, outcome: str, fact_id: bytes, short_id: str, text: str, agent_id: str) -> None:
        self.outcome = outcome
        self.id = fact_id
        self.short_id = short_id
        self.text = text
        self.agent_id = agent_id


def run(folder: str, work: Callable[[Store], T], patient: bool = False, user_dir: str = "") -> T:
    """Do `work` in one durable write transaction, after draining the spool into it. Raises StoreError, and whatever
    `work` raises; nothing is changed then. `patient` waits up to 2 s for the lock, else 2 ms. A prepared directory gets its
    store here, which is trusted from birth when `user_dir` says where."""
    try:
        lock = try_lock(folder, *(_PATIENT if patient else _HURRIED))
    except FileNotFoundError:
        raise StoreMissing(f"{folder}: not prepared; run `graymatter init` in the project") from None
    except OSError as error:
        raise translate(error, folder) from None
    if lock is None:
        raise StoreBusy(f"{folder}: another process is writing")
    try:
        if give_birth(folder) and user_dir:
            _trust(folder, user_dir)
        return _grown(folder, work)
    finally:
        unlock(lock)


def _trust(folder: str, user_dir: str) -> None:
    store = open_read(folder)
    try:
        register(user_dir, folder, store.identity.store_id)
    finally:
        store.close()


def _grown(folder: str, work: Callable[[Store], T]) -> T:
    """Commit `work`, with a larger map each time it does not fit (deletes need room too)."""
    factor = 2
    while True:
        store = open_write(folder, factor)
        try:
            drained = _drain(store, folder)
            result = work(store)
            store.txn.commit()
            store.txn = None
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


def _drain(store: Store, folder: str) -> list[Spooled]:
    """Enter every spooled save that the store does not hold yet."""
    found = pending(folder)
    for spooled in found:
        if not by_suffix(store, encode(spooled.id)):
            ns = ensure(store, spooled.agent_id)
            if find_equal(store, ns, spooled.text) is None:
                add_fact(store, ns, spooled.text, spooled.created_us, spooled.source, spooled.confidence, spooled.id)
    return found


def save(
    folder: str, entries: list[tuple[str, str, int, int]], now_us: int, patient: bool = False, user_dir: str = ""
) -> list[Saved]:
    """Save clean, checked texts, each (agent id, text, source, confidence), in one transaction. When the store cannot take
    them they go to the spool; OSError or StoreError only when that fails too, and then nothing was saved."""

    def work(store: Store) -> list[Saved]:
        done = []
        for agent_id, text, source, confidence in entries:
            ns = ensure(store, agent_id)
            known = find_equal(store, ns, text)
            fact = known or add_fact(store, ns, text, now_us, source, confidence)
            done.append(Saved("duplicate" if known else "saved", fact.id, short_id(store, fact), text, agent_id))
        return done

    try:
        return run(folder, work, patient, user_dir)
    except StoreMissing:
        raise
    except StoreError:
        return [_spool(folder, entry, now_us) for entry in entries]


def _spool(folder: str, entry: tuple[str, str, int, int], now_us: int) -> Saved:
    agent_id, text, source, confidence = entry
    spooled = Spooled(new_id(now_us // 1000, b""), now_us, agent_id, text, source, confidence)
    put(folder, spooled)
    return Saved("spooled", spooled.id, encode(spooled.id)[-SHORT:], text, agent_id)
