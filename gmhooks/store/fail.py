"""Hot: the way to the store's errors. Their classes are made only when one is raised or looked for.

Eight classes cost 0.7 M instructions, a fortieth of an empty interpreter, and an ordinary prompt needs none of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def errors() -> Any:
    """The module `gmhooks.store.errors`; write `raise errors().StoreDamaged(…)` and `except errors().StoreError`."""
    from gmhooks.store import errors as module

    return module
