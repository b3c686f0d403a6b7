"""Hot, when a save has to wait: what people are told of it."""

from __future__ import annotations

_WHY = {
    "busy": "another process holds it. Recall sees it already; the next save moves it in.",
    "late": "the machine is too busy. Recall sees it already; the next save moves it in.",
    "store_damaged": "the store is damaged. It is kept aside and moves in after `graymatter doctor --repair`.",
    "store_suspect": "the store may be damaged. It is kept aside and moves in once the store was checked or repaired.",
    "schema_newer": "a newer version made it. It is kept aside and moves in once gmhooks is upgraded.",
    "disk_full": "there is no space. It is kept aside; the next save that finds space moves it in.",
}
_OTHERWISE = "the store cannot be written. It is kept aside; the next save that can write moves it in."


def waits(reason: str) -> str:
    """Why a saved fact is not in the store yet and when it will be; `reason` as in `writer.Saved`."""
    return "not yet in the store: " + _WHY.get(reason, _OTHERWISE)
