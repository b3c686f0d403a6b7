"""What hooks did lately, from their receipts: blocks and bytes of today and of each session, last sign of each event."""

from __future__ import annotations

from dataclasses import dataclass

from gmhooks.memory.injections import injections, last_fired
from gmhooks.recall.receipt import written_at

_WEEK_US = 7 * 86_400 * 1_000_000
_DATE = 10


@dataclass(frozen=True, slots=True)
class SessionBytes:
    """What one session got: its digest (the id itself is not kept), blocks, UTF-8 bytes, when the last one came."""

    session: str
    blocks: int
    size: int
    last_at: str


@dataclass(frozen=True, slots=True)
class Activity:
    """`today` is the UTC day. hooks.log holds the newest 1 to 2 MiB of receipts, so older sessions are not known."""

    today_blocks: int
    today_bytes: int
    sessions: tuple[SessionBytes, ...]
    sessions_7_days: int
    last_fired: dict[str, str | None]


def activity(data_dir: str, now_us: int) -> Activity:
    """Sum the receipts of a data directory; sessions from the newest on."""
    today, week_ago = written_at(now_us)[:_DATE], written_at(now_us - _WEEK_US)
    known: dict[str, SessionBytes] = {}
    blocks = size = 0
    for each in injections(data_dir):
        if each.at[:_DATE] == today:
            blocks += 1
            size += each.size
        before = known.pop(each.session, SessionBytes(each.session, 0, 0, ""))
        known[each.session] = SessionBytes(each.session, before.blocks + 1, before.size + each.size, each.at)
    sessions = tuple(reversed(known.values()))
    recent = sum(1 for session in sessions if session.last_at >= week_ago)
    return Activity(blocks, size, sessions, recent, last_fired(data_dir))
