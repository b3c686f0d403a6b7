"""Cold: what was forgotten last by a person, so that it can be brought back."""

from __future__ import annotations

from gmhooks.store.ids import SIZE
from gmhooks.store.layout import META, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store

KEY = b"forgotten"


def note(store: Store, ids: list[bytes], when_us: int) -> None:
    """Remember these fact ids as the last ones forgotten; [] when there is nothing to bring back any more (write)."""
    store.put(META, KEY, seal(KEY, when_us.to_bytes(8, "little") + b"".join(ids)))


def last(store: Store) -> tuple[int, list[bytes]]:
    """(time µs, fact ids) of the last forgetting; (0, []) when none is known."""
    body = unseal(KEY, store.get(META, KEY)) or bytes(8)
    return int.from_bytes(body[:8], "little"), [body[at : at + SIZE] for at in range(8, len(body), SIZE)]
