"""Hot, after a forgetting only: what was forgotten last by a person, so that it can be brought back."""

from __future__ import annotations

from gmhooks.store.ids import SIZE
from gmhooks.store.layout import META, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact, Namespace

KEY = b"forgotten"


def note(store: Store, ns: Namespace, facts: list[Fact], now_us: int) -> None:
    """Let these facts of one namespace, forgotten just now, be brought back (write)."""
    _put(store, [fact.id for fact in facts], max(now_us, ns.last_created_us + 1))


def drop(store: Store, ids: Collection[bytes]) -> None:
    """These facts can not be brought back any more (write)."""
    when_us, known = last(store)
    left = [fact_id for fact_id in known if fact_id not in ids]
    if len(left) < len(known):
        _put(store, left, when_us)


def last(store: Store) -> tuple[int, list[bytes]]:
    """(time µs, fact ids) of the last forgetting; (0, []) when none is known."""
    body = unseal(KEY, store.get(META, KEY)) or bytes(8)
    return int.from_bytes(body[:8], "little"), [body[at : at + SIZE] for at in range(8, len(body), SIZE)]


def _put(store: Store, ids: list[bytes], when_us: int) -> None:
    store.put(META, KEY, seal(KEY, when_us.to_bytes(8, "little") + b"".join(ids)))
