"""Hot: SessionStart. What a session should know from its first moment: pinned, verified, then the freshest facts."""

from __future__ import annotations

from time import gmtime, strftime

from gmhooks.hooks.blockfmt import MEMORY, SHARED_MEMORY, UNFINISHED, block
from gmhooks.hooks.fields import NAMED_AT, NOTICE_AT, keep, load
from gmhooks.hooks.opened import open_trusted
from gmhooks.hooks.session import digest
from gmhooks.hooks.trusted import by_id, key
from gmhooks.hooks.usage import begin, enter_first
from gmhooks.hooks.wire import encode
from gmhooks.store.facts import get, newest, short_id
from gmhooks.store.fail import errors
from gmhooks.store.marks import PINNED, VERIFIED, marked
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.records import KIND_ALIAS, Fact
from gmhooks.store.spool import pending
from gmhooks.store.touches import append as append_touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.blockfmt import Entry
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store
    from gmhooks.store.errors import StoreError
    from gmhooks.store.records import Namespace
    from gmhooks.store.spool import Spooled

MOST_FACTS = 64
_DAY_US = 86_400_000_000
_WHOLE = ("", "startup", "clear", "compact")
_AFRESH = ("clear", "compact")
_CONTINUED = ("resume", "fork")
_REASONS = {
    "untrusted": "it came with a store or was moved, and is not trusted; `graymatter trust` shows its facts and turns it on",
    "store_damaged": "its store is damaged; `graymatter doctor --repair` saves what is left. New saves are kept aside",
    "store_suspect": "its store is damaged or being checked; `graymatter doctor --repair` helps. New saves are kept aside",
    "schema_newer": "a newer version of gmhooks wrote its store; upgrade gmhooks to use it",
}


def run(ctx: Context) -> bytes:
    """The block for a session that begins, or for one that goes on what it has not seen yet."""
    source = ctx.event.source
    if source not in _WHOLE and source not in _CONTINUED:
        ctx.note("unknown_source", source[:40])
        return b""
    if not ctx.conf.inject:
        return b""
    session = begin(ctx)
    if session is None:
        return b""
    if not ctx.conf.start_budget:
        _forgotten(session, source, ctx.now_us)
        return b""
    try:
        store = open_trusted(ctx, session, enter_first)
    except errors().StoreError as error:
        return _notice(ctx, session, error)
    else:
        try:
            text = _block(ctx, store, session)
        finally:
            store.close()
    finally:
        if session.problem:
            ctx.note("state_unusable", session.problem)
        session.close()
    if not text:
        return b""
    return encode({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})


def _forgotten(session: Session, source: str, now_us: int) -> None:
    """A start that prints nothing still ends what the conversation before a compaction had seen."""
    if source in _AFRESH:
        session.forget()
        session.save(now_us)
    session.close()


def _notice(ctx: Context, session: Session, error: StoreError) -> bytes:
    """Tell, at most once a day, that memory is off and why."""
    if error.code == errors().StoreMissing.code:
        return b""
    ctx.note(error.code, str(error))
    reason = _REASONS.get(error.code)
    today = (max(ctx.now_us, 0) // _DAY_US).to_bytes(4, "little")
    if reason is None or load(session, NOTICE_AT, 4) == today or not keep(session, NOTICE_AT, today):
        return b""
    return encode({"systemMessage": f"GrayMatter memory is off in this project: {reason}."})


def _block(ctx: Context, store: Store, session: Session) -> str:
    event = ctx.event
    since_us = 0
    if event.source in _CONTINUED:
        ago = event.seconds_since
        since_us = ctx.now_us - int(ago * 1e6) if ago is not None else ctx.now_us
        if event.source == "fork" and not session.shown:
            from gmhooks.hooks.fork import inherit

            inherit(session, event.prompt_id, since_us + 1_000_000 if ago is not None else 0)
    elif event.source in _AFRESH:
        session.forget()
    elif session.shown:
        ctx.note("started_already")
        return ""
    hidden = set(session.shown)
    spooled = pending(ctx.route.data_dir)
    sections: list[tuple[str, list[Entry]]] = []
    for heading, agent_id in ((MEMORY, ctx.route.agent_id), (SHARED_MEMORY, SHARED)):
        shared = agent_id == SHARED
        waiting = [item for item in spooled if item.agent_id == agent_id]
        ns = find(store, agent_id)
        facts = _newer(store, ns, waiting, since_us) if since_us else _first(store, ns, waiting)
        fresh = [(fact, key(fact, shared)) for fact in facts]
        sections.append(
            (
                heading,
                [
                    (fact.text, fact.source, fact, shown)
                    for fact, shown in fresh
                    if shown not in hidden and by_id(fact.id) not in hidden
                ],
            )
        )
    if event.source in ("", "startup", "compact"):
        sections.append((UNFINISHED, _unfinished(ctx, store, session)))
    text, keys = block(
        ctx.route.agent_id, store.identity.secret, sections, ctx.conf.start_budget, lambda fact: short_id(store, fact)
    )
    keys = [shown for shown in keys if shown >= 0]
    session.note_shown(keys)
    session.save(ctx.now_us, text.encode())
    if text:
        facts = [fact for _, entries in sections for _, _, fact, shown in entries if fact is not None and shown in keys]
        append_touches(ctx.route.data_dir, [(fact.ns, fact.doc) for fact in facts if fact.doc >= 0], ctx.now_us)
        ctx.note("injected", session.receipt(len(text.encode()), keys))
    return text


def _first(store: Store, ns: Namespace | None, waiting: list[Spooled]) -> list[Fact]:
    """Pinned, then verified, then spooled and stored facts from the newest on; each once."""
    found: dict[int, Fact] = {}
    if ns is not None:
        for kind in (PINNED, VERIFIED):
            for doc in marked(store, ns.number, kind):
                fact = get(store, ns.number, doc)
                if fact is not None and fact.live and fact.kind != KIND_ALIAS:
                    found.setdefault(doc, fact)
                if len(found) >= MOST_FACTS:
                    break
    for fact in _newer(store, ns, waiting, 0):
        if len(found) >= MOST_FACTS:
            break
        found.setdefault(fact.doc, fact)
    return list(found.values())


def _newer(store: Store, ns: Namespace | None, waiting: list[Spooled], since_us: int) -> list[Fact]:
    """Up to 64 facts written after a time, spooled ones first, then from the newest on."""
    found = [
        Fact(0, -1 - i, item.id, item.text, item.created_us, item.source, item.confidence)
        for i, item in enumerate(reversed(waiting))
        if item.created_us > since_us
    ]
    if ns is not None:
        for fact in newest(store, ns):
            if fact.created_us <= since_us or len(found) >= MOST_FACTS:
                break
            found.append(fact)
    return found


def _unfinished(ctx: Context, store: Store, session: Session) -> list[Entry]:
    """One line for the newest checkpoint if it left something open; a startup names it only once."""
    from gmhooks.hooks.checkpoint import unfinished
    from gmhooks.store.checkpoints import newest as newest_checkpoints
    from gmhooks.store.ids import encode as encode_id

    ns = find(store, ctx.route.agent_id)
    if ns is None:
        return []
    agent = digest(ctx.route.agent_id)
    at = NAMED_AT + agent[0] % 16 * 24
    for made, created_us, _, body in newest_checkpoints(store, ns, 1):
        line = unfinished(body, created_us, ctx.now_us, ctx.event.session_id)
        if not line or (ctx.event.source != "compact" and load(session, at, 24) == agent + made):
            return []
        if ctx.event.source != "compact":
            keep(session, at, agent + made)
        day = strftime("%Y-%m-%d", gmtime(created_us // 1_000_000))
        return [(f"Checkpoint {encode_id(made)[-6:]} of {day}: {line}", 0, None, -1)]
    return []
