"""The one filter for JSON that is kept as a checkpoint: keys and values as they may be stored."""

from __future__ import annotations

from gmhooks.hooks.admit import Refused
from gmhooks.hooks.checkpoint import ITEM_CHARS, WITHHELD, shareable

DEEPEST = 50


def filtered(value: object, depth: int = DEEPEST) -> tuple[object, int]:
    """JSON data with every string, keys too, clean and public, secrets replaced by a note; how many were. A key that thereby
    equals an earlier one gets a number. Refused (`state_too_deep`) beyond 50 levels."""
    if isinstance(value, str):
        kept = shareable(value, max(len(value), ITEM_CHARS))
        return kept, int(kept == WITHHELD != value)
    if not isinstance(value, (dict, list)):
        return value, 0
    if depth == 0:
        raise Refused("state_too_deep", f"state is nested deeper than {DEEPEST} levels")
    withheld = 0
    if isinstance(value, list):
        items = []
        for item in value:
            kept_item, found = filtered(item, depth - 1)
            items.append(kept_item)
            withheld += found
        return items, withheld
    members: dict[str, object] = {}
    for key, item in value.items():
        name, in_key = filtered(str(key))
        kept_item, found = filtered(item, depth - 1)
        members[_unused(str(name), members)] = kept_item
        withheld += in_key + found
    return members, withheld


def _unused(name: str, members: dict[str, object]) -> str:
    wanted, number = name, 1
    while wanted in members:
        number += 1
        wanted = f"{name} {number}"
    return wanted
