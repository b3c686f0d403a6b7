"""Hot: PreCompact. Keep a checkpoint, and tell the compaction in fixed sentences and ids what memory will bring back."""

from __future__ import annotations

from gmhooks.hooks.checkpoint import save as save_checkpoint
from gmhooks.hooks.opened import open_trusted
from gmhooks.hooks.transcript import read as read_transcript
from gmhooks.hooks.trusted import number_of
from gmhooks.hooks.usage import begin
from gmhooks.store.facts import get, short_id
from gmhooks.store.fail import errors
from gmhooks.store.ids import encode as encode_id
from gmhooks.store.namespaces import SHARED, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store

MOST_BYTES = 1024
_MOST_IDS = 60
_KEPT = (
    "Project memory (GrayMatter) lives outside this conversation and is injected again after the compaction: "
    "its facts need not be repeated in the summary."
)


def run(ctx: Context) -> bytes:
    """Plain text of at most 1,024 bytes, never the text of a fact; empty when there is nothing to bring back."""
    session = begin(ctx)
    if session is None:
        return b""
    try:
        store = open_trusted(ctx, session)
        try:
            ids, holds_facts = _shown_ids(ctx, store, session)
        finally:
            store.close()
        made = _checkpoint(ctx) if ctx.conf.save else ""
    except errors().StoreMissing:
        return b""
    except errors().StoreError as error:
        ctx.note(error.code, str(error))
        return b""
    finally:
        session.close()
    if not ctx.conf.inject or not (holds_facts or made):
        return b""
    text = _KEPT
    if ids:
        text += " Facts shown in this session: " + " ".join(ids) + "."
    if made:
        text += f" A checkpoint of this session was saved: {made}."
    return text.encode()[:MOST_BYTES]


def _shown_ids(ctx: Context, store: Store, session: Session) -> tuple[list[str], bool]:
    """Short ids of the facts this session was shown, newest last, and whether the project has facts at all."""
    spaces = (find(store, ctx.route.agent_id), find(store, SHARED))
    ids = []
    for found in map(number_of, session.shown[-_MOST_IDS:]):
        ns = spaces[found[1]] if found else None
        fact = get(store, ns.number, found[0]) if found and ns else None
        if fact is not None and fact.live:
            ids.append(short_id(store, fact))
    return ids, any(ns is not None and ns.live > 0 for ns in spaces)


def _checkpoint(ctx: Context) -> str:
    """Id of the checkpoint that stands, "" when it could not be saved."""
    try:
        made = save_checkpoint(ctx, read_transcript(ctx.event.transcript_path))
    except errors().StoreError as error:
        ctx.note(error.code, str(error))
        return ""
    ctx.note("checkpointed", encode_id(made))
    return encode_id(made)
