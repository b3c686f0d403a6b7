"""Hot: one run of a hook among others: is it a second copy of the same run, and who died while using LMDB.

Both are noted behind the session's slot in `<data dir>/state`, so that the read that finds the slot brings them too.
"""

from __future__ import annotations

from posix import getpid, pread, pwrite

from gmhooks.hooks.session import BREAKER_AT, CLAIM_AT, SETS, SLOT, SLOTS_AT, USE_AT, WAYS, Session, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from posix import stat_result

    from gmhooks.hooks.context import Context

_SAME_RUN_US = 2_000_000
_EMPTY = bytes(8)


def begin(ctx: Context) -> Session | None:
    """The session of a run, which is entered there. None, with a receipt, when another process had the same run within 2 s:
    one answers and saves, however often the hook is installed."""
    event = ctx.event
    parts = (event.session_id, event.name, event.source, event.trigger, event.reason, event.prompt_id, event.prompt)
    run = digest("\0".join(parts))
    session = Session(ctx.route.data_dir, event.session_id, True)
    if session.index < 0 or session.problem:
        return session
    data = session.data
    ago = ctx.now_us - int.from_bytes(data[CLAIM_AT + 8 : USE_AT], "little")
    if data[CLAIM_AT : CLAIM_AT + 8] == run and -_SAME_RUN_US < ago < _SAME_RUN_US:
        session.close()
        ctx.note("duplicate_run")
        return None
    try:
        claim = data[CLAIM_AT:USE_AT] = run + max(ctx.now_us, 0).to_bytes(8, "little")
        pwrite(session.fd, claim, SLOTS_AT + session.index * SLOT + CLAIM_AT)
        session.release()
    except OSError as error:
        session.problem = str(error)
    return session


def enter(session: Session, status: stat_result, marks: Sequence[bytes] = ()) -> None:
    """Note that LMDB is about to be used on the file of this `lstat`; the session's `save` and `close` take that back.
    Raises StoreSuspect when processes have died at it (see `breaker`); `marks` are those of other sessions."""
    if session.index < 0 or session.problem:
        return
    before = bytes(session.data[USE_AT : USE_AT + 8])
    use = session.data[USE_AT : USE_AT + 8] = state_of(status) + getpid().to_bytes(4, "little")
    if before != _EMPTY or marks or pread(session.fd, 12, BREAKER_AT).strip(b"\0"):
        from gmhooks.hooks.breaker import judge

        judge(session.fd, use[:4], [before, *marks])
    session.mark(use)


def enter_first(session: Session, status: stat_result) -> None:
    """`enter`, for the first hook of a session: it also looks for what died in other sessions."""
    slots = pread(session.fd, SLOT * WAYS * SETS, SLOTS_AT) if session.index >= 0 and not session.problem else b""
    if slots[USE_AT + 4 :: SLOT].strip(b"\0") or slots[USE_AT + 5 :: SLOT].strip(b"\0"):
        from gmhooks.hooks.breaker import collect

        enter(session, status, collect(session, slots))
    else:
        enter(session, status)


def state_of(status: stat_result) -> bytes:
    """4 bytes that change with every commit to a data file, and with the file."""
    return ((status.st_ino ^ status.st_mtime_ns) & 0xFFFFFFFF).to_bytes(4, "little")
