"""Cold: how much of a fact's weight is left. 8 more bytes in its `touches` record, in steps of 2^-53; absent means 1."""

from __future__ import annotations

from gmhooks.store.layout import TOUCHES, fact_key, seal, unseal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader

_ONE = 1 << 53
_AT = 16


def weight(store: Reader, number: int, doc: int) -> float:
    """The weight of a fact, 0 to 1; 1 for one that was never decayed."""
    key = fact_key(number, doc)
    body = unseal(key, store.get(TOUCHES, key)) or b""
    return int.from_bytes(body[_AT : _AT + 8], "little") / _ONE if len(body) >= _AT + 8 else 1.0


def set_weight(store: Store, number: int, doc: int, value: float) -> None:
    """Keep a weight, clamped to 0 to 1 (write)."""
    key = fact_key(number, doc)
    head = (unseal(key, store.get(TOUCHES, key)) or bytes(_AT))[:_AT]
    steps = int(min(max(value, 0.0), 1.0) * _ONE)
    store.put(TOUCHES, key, seal(key, head + steps.to_bytes(8, "little")))
