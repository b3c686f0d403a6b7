"""Hot: SessionEnd. Keep where the session stood, then hand the slow work to a detached process."""

from __future__ import annotations

from posix import listdir

from gmhooks.hooks.checkpoint import save as save_checkpoint
from gmhooks.hooks.fields import FINISH_AT, keep, load
from gmhooks.hooks.opened import open_trusted
from gmhooks.hooks.spawn import start
from gmhooks.hooks.transcript import read as read_transcript
from gmhooks.hooks.usage import begin
from gmhooks.store.fail import errors
from gmhooks.store.ids import encode as encode_id
from gmhooks.store.spool import FOLDER as SPOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session

_PAUSE_US = 600_000_000


def run(ctx: Context) -> bytes:
    """Always silent: a checkpoint if the session had a prompt, and detached work if some is due."""
    session = begin(ctx)
    if session is None:
        return b""
    try:
        due = _close(ctx, session)
    except errors().StoreMissing:
        return b""
    except errors().StoreError as error:
        ctx.note(error.code, str(error))
        return b""
    finally:
        session.close()
    if due:
        try:
            start("finish.py", ctx.route.data_dir, ctx.user_dir, ctx.environ)
        except OSError as error:
            ctx.note("spawn_failed", str(error))
    return b""


def _close(ctx: Context, session: Session) -> bool:
    """Keep a checkpoint if there was a prompt; whether detached work is due. Raises StoreError when memory is off here."""
    open_trusted(ctx, session).close()
    standing = read_transcript(ctx.event.transcript_path)
    if ctx.conf.save and (ctx.event.prompt_id or session.prompted or standing.prompt):
        try:
            ctx.note("checkpointed", encode_id(save_checkpoint(ctx, standing)))
        except errors().StoreError as error:
            ctx.note(error.code, str(error))
    if ctx.event.reason == "resume":
        session.note_resume(ctx.event.prompt_id)
        session.save(0)
    return _is_due(ctx, session)


def _is_due(ctx: Context, session: Session) -> bool:
    """Whether detached work should start: something waits in the spool, or 10 minutes have passed since the last."""
    try:
        waiting = [name for name in listdir(f"{ctx.route.data_dir}/{SPOOL}") if name.endswith(".fact")]
    except OSError:
        waiting = []
    last = int.from_bytes(load(session, FINISH_AT, 8), "little")
    if not waiting and 0 <= ctx.now_us - last < _PAUSE_US:
        return False
    keep(session, FINISH_AT, max(ctx.now_us, 0).to_bytes(8, "little"))
    return True
