"""Hot, for commands: when time runs out, what the user is told of a save then, and how a text is quoted."""

from __future__ import annotations

from _signal import ITIMER_REAL, getitimer  # type: ignore[import-not-found]
from _thread import allocate_lock, start_new_thread

from gmhooks.hooks.wire import encode
from gmhooks.store.writer import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.spool import Spooled

_LATE_S = 0.2  # before the alarm; what an idle machine does in 10 ms may take all of it, and the watchdog is starved, too
_SPEAK_S = 0.015  # before the alarm: time to say something
_QUOTED_WORDS = 5
_QUOTED_CHARS = 60
_SLOW = "The disk did not answer in time: were the power cut now, that could be lost."


def late() -> bool:
    """Whether this process has to come to an end: its alarm (see `watch`) would ring before the user is told of a save."""
    left: float = getitimer(ITIMER_REAL)[0]
    return 0 < left < _LATE_S


def kept(folder: str, aside: list[Spooled | OSError]) -> bytes:
    """The answer to saves that never reached the store: they are safe in the spool, or not saved, or the disk has not
    said so before the alarm has to be feared."""
    told: list[bytes] = []
    over = allocate_lock()
    over.acquire()

    def settle() -> None:
        try:
            told.append(_settled(folder, aside))
        finally:
            over.release()

    start_new_thread(settle, ())
    left = getitimer(ITIMER_REAL)[0]
    over.acquire(True, max(left - _SPEAK_S, 0) if left else -1)
    if told:
        return told[0]
    written = [spooled for spooled in aside if not isinstance(spooled, OSError)]
    return said([f"Set aside: {_facts(len(written))}, to be filed at the next write. {_SLOW}"])


def _settled(folder: str, aside: list[Spooled | OSError]) -> bytes:
    try:
        count = len(keep(folder, aside))
    except OSError as error:
        return said([f"Not saved: memory cannot be written ({error.strerror})."])
    return said([f"Saved to memory: {_facts(count)}; kept safely and filed at the next write."])


def _facts(count: int) -> str:
    return f"{count} fact{'s' * (count != 1)}"


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
