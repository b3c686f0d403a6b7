"""Hot, for prompts that may hold a command: `remember:`, `forget:`, `memory on/off`, and what the user is told."""

from __future__ import annotations

from posix import O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY, close, unlink
from posix import open as posix_open

from gmhooks.hooks.admit import Refused, admit
from gmhooks.hooks.grammar import parse
from gmhooks.hooks.late import kept, late, quoted, said
from gmhooks.hooks.opened import may_write
from gmhooks.hooks.targets import meant, retire_all
from gmhooks.hooks.trusted import by_id, by_number
from gmhooks.store.errors import StoreError, StoreMissing, StoreNewer, StoreSuspect, StoreUntrusted
from gmhooks.store.facts import short_id
from gmhooks.store.layout import SCHEMA
from gmhooks.store.namespaces import SHARED, find
from gmhooks.store.records import USER
from gmhooks.store.writer import keep, run, save, set_aside, withdraw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.grammar import Parsed, Save
    from gmhooks.hooks.session import Session
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact
    from gmhooks.store.spool import Spooled
    from gmhooks.store.writer import Entry, Saved

MOST_COMMANDS = 10
SWITCH = "off"
_LOST = {
    "empty_remember": "there is no text to save.",
    "question_not_saved": "a line that ends in a question mark is taken for a question.",
    "lost_in_private": "the line is inside a <private> part.",
    "lost_in_fence": "the line is inside a code block that is not closed.",
}
_OFF = "GrayMatter memory is off in this project. `memory on` turns it on again."
_ON = "GrayMatter memory is on again in this project."
_UNTRUSTED = "this project's memory store is not trusted; run `graymatter trust` to see its facts and turn it on"


class Told:
    """What came of a prompt's commands: lines for the user and for the model, and the session's keys of what was saved.

    `query` is the prompt without its keywords and without foreign blocks: what recall may see.
    """

    __slots__ = ("context", "keys", "messages", "query")

    def __init__(self, query: str) -> None:
        self.query = query
        self.messages: list[str] = []
        self.context: list[str] = []
        self.keys: list[int] = []


def obey(ctx: Context, session: Session) -> Told:
    """Carry out the commands of the prompt; a save is told as done only once it is durable."""
    parsed = parse(ctx.event.prompt)
    told = Told(parsed.query)
    if parsed.toggle is not None:
        told.query = ""
        _switch(ctx, told, parsed.toggle == "on")
        return told
    for code, detail in parsed.notes:
        ctx.note(code, detail)
        if code in _LOST:
            told.messages.append("Not saved: " + _LOST[code])
    if parsed.saves or parsed.forgets:
        _change(ctx, told, parsed, session)
        if late():
            ctx.note("late")
            told.query = ""  # what became of the save comes before facts
    return told


def _change(ctx: Context, told: Told, parsed: Parsed, session: Session) -> None:
    entries = _admitted(ctx, told, parsed.saves)
    # Before LMDB is touched, which a damaged store may not survive; a place nobody trusts gets nothing.
    known = ctx.conf.save and ctx.known is not None
    aside = set_aside(ctx.route.data_dir, entries, ctx.now_us) if known else None
    if aside:
        ctx.last_words = lambda: kept(ctx.route.data_dir, aside)
    reason, alone = _closed(ctx, session)
    if reason:
        ctx.last_words = None
        withdraw(ctx.route.data_dir, aside or [])
        told.messages.append(f"Not {'saved' if parsed.saves else 'forgotten'}: {reason}.")
        return
    if entries:
        _write(ctx, told, entries, aside, alone)
    ctx.last_words = lambda: said(told.messages)
    for target in parsed.forgets[:MOST_COMMANDS]:
        try:
            _forget(ctx, told, target, alone)
        except Exception as error:  # noqa: BLE001 - what was saved before it must be acknowledged
            from gmhooks.hooks.trail import place

            ctx.note("unexpected", place(error))
            told.messages.append("Not forgotten: an unexpected error; `graymatter forget` in a shell may say more.")
    more = len(parsed.forgets) - MOST_COMMANDS
    if more > 0:
        ctx.note("too_many_forgets", str(len(parsed.forgets)))
        told.messages.append(f"Not forgotten: {more} more; a prompt forgets {MOST_COMMANDS}.")


def _closed(ctx: Context, session: Session) -> tuple[str, bool]:
    """Why this project takes no saves now, "" when it does; and whether the store must be left alone meanwhile."""
    if not ctx.conf.save:
        ctx.note("save_off")
        return "saving is switched off here (`graymatter config save on`)", False
    alone = False
    try:
        found = may_write(ctx, session)
        if found.min_writer > SCHEMA:
            ctx.note(StoreNewer.code, f"written by {found.created_by}")
    except StoreUntrusted as error:
        ctx.note(error.code, str(error))
        return _UNTRUSTED, False
    except StoreMissing:
        pass  # prepared without a store: the first save makes it
    except StoreError as error:
        ctx.note(error.code, str(error))  # the spool takes the save
        alone = isinstance(error, StoreSuspect)
    return "", alone


def _admitted(ctx: Context, told: Told, saves: list[Save]) -> list[Entry]:
    """What may be saved; of the rest the user is told why not."""
    entries = []
    for wanted in saves[:MOST_COMMANDS]:
        try:
            admitted = admit(wanted.text)
        except Refused as error:
            ctx.note(error.code)
            told.messages.append(f"Not saved: {error}.")
            continue
        for code in admitted.notes:
            ctx.note(code)
        agent_id = SHARED if wanted.scope == "shared" else ctx.route.agent_id
        entries.append((agent_id, admitted.text, USER, 0))
    if len(saves) > MOST_COMMANDS:
        ctx.note("too_many_saves", str(len(saves)))
        told.messages.append(f"Not saved: {len(saves) - MOST_COMMANDS} more; a prompt saves {MOST_COMMANDS}.")
    return entries


def _write(ctx: Context, told: Told, entries: list[Entry], aside: list[Spooled | OSError] | None, alone: bool) -> None:
    try:
        if aside is not None and (alone or late()):
            done = keep(ctx.route.data_dir, aside, StoreSuspect.code if alone else "late")
        else:
            done = save(ctx.route.data_dir, entries, ctx.now_us, user_dir=ctx.user_dir, aside=aside)
    except StoreError as error:
        ctx.note(error.code, str(error))
        told.messages.append(f"Not saved: memory cannot be written ({error.code}).")
        return
    except OSError as error:
        ctx.note("spool_failed", str(error))
        told.messages.append(f"Not saved: memory cannot be written ({error.strerror}).")
        return
    for saved in done:
        _acknowledge(ctx, told, saved)


def _acknowledge(ctx: Context, told: Told, saved: Saved) -> None:
    shared = saved.agent_id == SHARED
    where = "shared memory" if shared else "memory"
    short = saved.short_id
    ctx.note(saved.outcome, short)
    told.keys.append(by_id(saved.id) if saved.doc < 0 else by_number(saved.doc, shared))
    if saved.outcome == "duplicate":
        told.messages.append(f"Already remembered in {where} [{short}]: {quoted(saved.text)}")
        told.context.append(f"GrayMatter: {where} already holds this fact [{short}].")
        return
    later = "."
    if saved.outcome == "spooled":
        from gmhooks.hooks.waiting import waits

        later = "; kept safely, " + waits(saved.reason)
    told.messages.append(
        f"Saved to {where} [{short}]: {quoted(saved.text)}{later} "
        f"Undo: `forget: {short}` here or `graymatter forget {short}`."
    )
    told.context.append(f"GrayMatter: saved to {where} [{short}]; nothing more is needed to remember it.")


def _forget(ctx: Context, told: Told, target: str, alone: bool) -> None:
    """Retire the fact that has this id or is equal to this text; tell what happened."""
    if alone:
        told.messages.append(f"Not forgotten: memory cannot be written now ({StoreSuspect.code}). Try again.")
        return

    def work(store: Store) -> list[list[tuple[Fact, str]]]:
        spaces = [ns for ns in (find(store, ctx.route.agent_id), find(store, SHARED)) if ns is not None]
        groups = meant(store, spaces, target)
        named = [[(fact, short_id(store, fact)) for fact in facts] for _, facts in groups]
        if len(groups) == 1:
            from gmhooks.store.forgotten import note

            retire_all(store, *groups[0])
            note(store, *groups[0], ctx.now_us)
        return named

    try:
        groups = run(ctx.route.data_dir, work, user_dir=ctx.user_dir)
    except StoreError as error:
        ctx.note(error.code, str(error))
        told.messages.append(f"Not forgotten: memory cannot be written now ({error.code}). Try again.")
        return
    if not groups:
        ctx.note("forget_not_found")
        told.messages.append("Nothing forgotten: no fact has that id or exactly that text.")
    elif len(groups) > 1:
        ctx.note("forget_ambiguous")
        told.messages.append("Nothing forgotten: that fits " + ", ".join([f"[{group[0][1]}]" for group in groups]) + ".")
    else:
        for fact, short in groups[0]:
            ctx.note("forgotten", short)
            told.messages.append(f"Forgotten [{short}]: {quoted(fact.text)}")
            told.context.append(f"GrayMatter: the user retired the fact [{short}]; do not rely on it.")
        told.messages[-1] += ". Undo: `graymatter undo` in a shell."


def _switch(ctx: Context, told: Told, on: bool) -> None:
    """Write or remove the project's off switch."""
    path = f"{ctx.route.data_dir}/{SWITCH}"
    try:
        if on:
            unlink(path)
        else:
            close(posix_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600))
    except FileNotFoundError:
        pass  # it was on
    except OSError as error:
        ctx.note("switch_failed", str(error))
        told.messages.append(f"GrayMatter memory could not be switched ({error.strerror}).")
        return
    ctx.note("memory_on" if on else "memory_off")
    told.messages.append(_ON if on else _OFF)
