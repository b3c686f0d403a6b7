"""Hot, for saves that ran out of time: what the user is told by the watchdog."""

from __future__ import annotations

from gmhooks.hooks.wire import encode
from gmhooks.store.writer import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.spool import Spooled


def kept(folder: str, aside: list[Spooled | OSError]) -> bytes:
    """The answer to saves that never reached the store: they are safe in the spool, or they are not saved."""
    try:
        count = len(keep(folder, aside))
    except OSError as error:
        return said([f"Not saved: memory cannot be written ({error.strerror})."])
    return said([f"Saved to memory: {count} fact{'s' * (count != 1)}; kept safely and filed at the next write."])


def said(messages: list[str]) -> bytes:
    """An answer of messages only."""
    return encode({"systemMessage": "\n".join(messages)}) if messages else b""
