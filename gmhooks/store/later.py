"""Cold: sub-databases that stores made by older versions lack until something is written to them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store


def present(store: Store, name: bytes) -> bool:
    """Whether there is anything to read; a writer makes what is missing."""
    try:
        store.db(name)
    except Exception as error:
        if type(error).__name__ != "NotFoundError":
            raise
        return False
    return True
