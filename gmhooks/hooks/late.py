"""Hot, for commands: when time runs out, what the user is told of a save then, and how a text is quoted."""

from __future__ import annotations

from _signal import ITIMER_REAL, getitimer  # type: ignore[import-not-found]

from gmhooks.hooks.wire import encode
from gmhooks.store.writer import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.spool import Spooled

_LATE_S = 0.2  # before the alarm; what an idle machine does in 10 ms may take all of it, and the watchdog is starved, too
_QUOTED_WORDS = 5
_QUOTED_CHARS = 60


def late() -> bool:
    """Whether this process has to come to an end: its alarm (see `watch`) would ring before the user is told of a save."""
    left: float = getitimer(ITIMER_REAL)[0]
    return 0 < left < _LATE_S


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


def quoted(text: str) -> str:
    """First and last words of a text, and its number of lines when there are several."""
    words = text.split()
    shown = " ".join(words)
    if len(words) > 2 * _QUOTED_WORDS or len(shown) > 2 * _QUOTED_CHARS:
        first = " ".join(words[:_QUOTED_WORDS])[:_QUOTED_CHARS]
        last = " ".join(words[-_QUOTED_WORDS:])[-_QUOTED_CHARS:]
        shown = f"{first} … {last}"
    lines = text.count("\n") + 1
    return f'"{shown}"' + (f" ({lines} lines)" if lines > 1 else "")
