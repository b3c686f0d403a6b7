"""Hot: UserPromptSubmit. Save what the user asks to save, then show what memory knows about the prompt."""

from __future__ import annotations

from _imp import source_hash
from posix import listdir

from gmhooks.hooks.blockfmt import AROUND, HARD_BYTES, MEMORY, SHARED_MEMORY, block
from gmhooks.hooks.choice import weigh
from gmhooks.hooks.trusted import by_id, key, look
from gmhooks.hooks.usage import begin
from gmhooks.hooks.wire import LONGEST_ANSWER, encode
from gmhooks.recall.gate import worth_asking
from gmhooks.store.fail import errors
from gmhooks.text.tokens import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.blockfmt import Entry
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.session import Session
    from gmhooks.recall.engine import Hit
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact
    from gmhooks.store.spool import Spooled

MOST_TERMS = 32  # of a long prompt, half of them from either end
_CUT = LONGEST_ANSWER // 2 - 100  # of messages that are too long; quotes in them may need two bytes each
_SWITCHES = ("memory on", "memory off")


def run(ctx: Context) -> bytes:
    """The answer to one prompt: facts worth showing, and what became of saves."""
    query = ctx.event.prompt
    message = ""
    parts: list[str] = []
    saved: list[int] = []
    session = None
    room = HARD_BYTES
    try:
        if _may_command(query):
            from gmhooks.hooks.saves import obey

            session = begin(ctx)
            if session is None:
                return b""
            told = obey(ctx, session)
            query = told.query
            message = "\n".join(told.messages)
            parts = told.context
            saved = told.keys
            room = LONGEST_ANSWER - AROUND - len(_answer("\n".join(parts), message))
        elif "<" in query or "[GrayMatter" in query:
            from gmhooks.hooks.grammar import strip_wrappers

            query = strip_wrappers(query)
        found = _recalled(ctx, query, saved, session, room) if ctx.conf.inject and ctx.conf.prompt_budget else ""
    except Exception as error:
        if not message:
            raise
        ctx.note("recall_failed", type(error).__name__)  # what was saved must be acknowledged
        found = ""
    finally:
        if session is not None:
            session.close()
    said = "\n".join(parts)
    answer = _answer("\n\n".join([text for text in (said, found) if text]), message)
    return answer if len(answer) <= LONGEST_ANSWER else _answer("", message.encode()[:_CUT].decode("utf-8", "ignore") + "…")


def _may_command(prompt: str) -> bool:
    """A cheap look that spares ordinary prompts the grammar and the write path."""
    lower = prompt.lower()
    if "remember" in lower or "forget" in lower:
        return ":" in prompt or "：" in prompt
    return lower.strip() in _SWITCHES


def _answer(context: str, message: str) -> bytes:
    answer: dict[str, object] = {}
    if message:
        answer["systemMessage"] = message
    if context:
        answer["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
    return encode(answer) if answer else b""


def _recalled(ctx: Context, query: str, saved: list[int], session: Session | None, room: int) -> str:
    """The block of facts that this prompt calls for and that the session has not seen; "" for none."""
    terms = query_terms(query, MOST_TERMS)
    if not worth_asking(terms):
        return ""
    if session is None:
        session = begin(ctx)
        if session is None:
            return ""
    spooled = _spooled(ctx.route.data_dir)
    try:
        secret, chosen = look(ctx, session, lambda store: _chosen(ctx, store, query, terms, spooled))
        return _shown(ctx, session, secret, chosen, terms, saved, room)
    except errors().StoreMissing:
        return ""
    except errors().StoreError as error:
        ctx.note(error.code, str(error))
        return ""
    finally:
        if session.problem:
            ctx.note("state_unusable", session.problem)
        session.close()


def _chosen(
    ctx: Context, store: Reader, query: str, terms: list[str], spooled: list[Spooled]
) -> tuple[int, list[list[Hit]]]:
    """The store's secret, and what the gate lets through of the project's and of the shared facts."""
    (tier, *chosen), asked = weigh(store, ctx.route.agent_id, query, terms, spooled, ctx.now_us)
    if tier and ctx.conf.packet_policy != "native":
        from gmhooks.hooks.packet import repack

        chosen, told = repack(store, query, asked, chosen)
        ctx.notes[:] = [note for note in ctx.notes if note[0] != "packet"]  # the store may be read twice
        ctx.note("packet", told)
    return store.identity.secret, [hits[: ctx.conf.top_k] for hits in chosen]


def _shown(
    ctx: Context, session: Session, secret: int, chosen: list[list[Hit]], terms: list[str], saved: list[int], room: int
) -> str:
    """Drop what was shown before or is just `saved` (keys), print, and keep in mind what is printed."""
    route = ctx.route
    hashed = [int.from_bytes(source_hash(0, term.encode())[:4], "big") for term in terms]
    hidden = set(session.shown).difference(session.repeatable(hashed, ctx.event.prompt_id))
    hidden.update(saved)
    sections = [
        (MEMORY, _entries(chosen[0], hidden, False)),
        (SHARED_MEMORY, _entries(chosen[1], hidden, True)),
    ]
    text, keys = block(
        route.agent_id, secret, sections, ctx.conf.prompt_budget, lambda fact: _short_id(ctx, session, fact), room
    )
    session.note_shown(saved)
    session.note_prompt(hashed, ctx.event.prompt_id, keys)
    session.save(ctx.now_us, text.encode())
    if text:
        from gmhooks.store.touches import append as append_touches

        printed = [hit.fact for i in (0, 1) for hit in chosen[i] if key(hit.fact, bool(i)) in keys]
        append_touches(route.data_dir, [(fact.ns, fact.doc) for fact in printed if fact.doc >= 0], ctx.now_us)
        ctx.note("injected", session.receipt(len(text.encode()), keys))
    return text


def _short_id(ctx: Context, session: Session, fact: Fact) -> str:
    """The id of a fact whose line had to be altered."""

    from gmhooks.hooks.opened import open_trusted
    from gmhooks.store.facts import short_id

    store = open_trusted(ctx, session)
    try:
        return short_id(store, fact)
    finally:
        store.close()


def _spooled(data_dir: str) -> list[Spooled]:
    """Saves on their way to the store; usually the folder is empty, and its reader is not even loaded."""
    try:
        if not listdir(data_dir + "/spool"):
            return []
    except OSError:
        return []
    from gmhooks.store.spool import pending

    return pending(data_dir)


def _entries(hits: list[Hit], hidden: set[int], shared: bool) -> list[Entry]:
    found: list[Entry] = []
    for hit in hits:
        fact = hit.fact
        if not hidden or (key(fact, shared) not in hidden and by_id(fact.id) not in hidden):
            found.append((fact.text, fact.source, fact, key(fact, shared)))
    return found
