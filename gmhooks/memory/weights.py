"""The weights of terms, kept from one recall to the next for as long as the store stays as it is.

A server opens the store anew for each call, and every page it then looks a term up on costs a page fault.
"""

from __future__ import annotations

from os import stat

from gmhooks.store.env import Store

# Weights kept of one namespace: more than there are terms in 10,000 facts, at some 150 bytes each.
LIMIT = 32_768

_kept: dict[tuple[object, ...], dict[int, dict[str, float]]] = {}


def kept(store: Store, number: int) -> dict[str, float]:
    """The weights found so far in a namespace of the snapshot that the store reads, to be added to."""
    status = stat(store.path)
    snapshot = (store.identity.store_id, status.st_ino, status.st_mtime_ns, store.txn.id())
    if snapshot not in _kept:
        _kept.clear()
    known = _kept.setdefault(snapshot, {}).setdefault(number, {})
    if len(known) > LIMIT:
        known.clear()
    return known
