"""Hot, for forked sessions: what their origin was shown counts as shown to them."""

from __future__ import annotations

from posix import pread

from gmhooks.hooks.session import RESUMED, SETS, SLOT, SLOTS_AT, WAYS, digest, shown_in, sound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.session import Session

_CERTAIN = 1 << 65


def inherit(session: Session, prompt_id: str, before_us: int) -> None:
    """Take over the shown facts of the session this one was forked from.

    That is the one which ended by a resume at the same prompt, else the one whose last hook ran nearest
    before `before_us` (0: unknown, then none).
    """
    if session.problem:
        return
    wanted = digest(prompt_id)
    best = 0
    shown: list[int] = []
    raw = pread(session.fd, SLOT * WAYS * SETS, SLOTS_AT)
    for at in range(0, len(raw), SLOT):
        slot = raw[at : at + SLOT]
        if slot[:8] == session.key or not sound(slot):
            continue
        resumed = memoryview(slot).cast("I")[6] & RESUMED
        used = int.from_bytes(slot[8:16], "little")
        rank = _CERTAIN + used if resumed and prompt_id and slot[16:24] == wanted else used
        if best < rank and (rank > _CERTAIN or used <= before_us):
            best = rank
            shown = shown_in(slot)
    session.note_shown(shown)
