"""Hot: checkpoints: what a session was about, from its transcript and git's files, and one line to name it."""

from __future__ import annotations

from time import sleep

from gmhooks.hooks.fit import cut
from gmhooks.hooks.gitref import standing as git_standing
from gmhooks.hooks.wire import WireError, decode, encode
from gmhooks.store.fail import errors
from gmhooks.text.clean import clean
from gmhooks.text.private import strip_private
from gmhooks.text.secrets import find as find_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.hooks.context import Context
    from gmhooks.hooks.transcript import Standing
    from gmhooks.store.env import Store

PROMPT_CHARS = 500
ITEM_CHARS = 200
WITHHELD = "(withheld: secret)"
_NAMED_ITEMS = 3
_NAMED_CHARS = 80
_TRIES = 10
_PAUSE_S = 0.01
_MAX_AGE_US = 7 * 86_400_000_000


def shareable(text: str, most: int) -> str:
    """At most `most` characters of a text as it may be stored; a note in its place when it holds a secret."""
    public = strip_private(clean(text)[0])[0].strip()
    if find_secret(public) is not None:
        return WITHHELD
    return cut(public, most)


def state(ctx: Context, found: Standing) -> dict[str, object]:
    """What is remembered of a session; equal states make one checkpoint."""
    event = ctx.event
    project = ctx.environ.get(b"CLAUDE_PROJECT_DIR", b"").decode("utf-8", "surrogateescape")
    branch, commit = git_standing(project or ctx.route.root)
    root = (project or ctx.route.root) + "/"
    return {
        "source": "hooks",
        "session_id": shareable(event.session_id, ITEM_CHARS),
        "prompt": shareable(found.prompt, PROMPT_CHARS),
        "files": [shareable(path.removeprefix(root), ITEM_CHARS) for path in found.files],
        "todos": [shareable(todo, ITEM_CHARS) for todo in found.todos],
        "branch": shareable(branch, ITEM_CHARS),
        "head": commit,
    }


def save(ctx: Context, found: Standing) -> bytes:
    """Store a checkpoint unless the newest says the same; the id of the one that stands. Waits for other writers a little
    longer than 100 ms. Raises StoreError."""
    from gmhooks.store.checkpoints import newest
    from gmhooks.store.checkpoints import save as save_checkpoint
    from gmhooks.store.namespaces import ensure
    from gmhooks.store.writer import run

    core = state(ctx, found)
    event = ctx.event
    about = {
        "source": "hooks",
        "event": event.name,
        "session_id": core["session_id"],
        "why": shareable(event.trigger or event.reason, ITEM_CHARS),
    }
    body = encode({"state": core, "metadata": about})

    def work(store: Store) -> bytes:
        ns = ensure(store, ctx.route.agent_id)
        last = newest(store, ns, 1)
        if last and _state_of(last[0][3]) == core:
            return last[0][0]
        return save_checkpoint(store, ns, body, ctx.now_us)

    # Nothing keeps a checkpoint that finds another writer at work, such as the work after the session before.
    for _ in range(_TRIES):
        try:
            return run(ctx.route.data_dir, work)
        except errors().StoreBusy:
            sleep(_PAUSE_S)
    return run(ctx.route.data_dir, work)


def unfinished(body: bytes, created_us: int, now_us: int, session_id: str) -> str:
    """What a checkpoint of the last 7 days left open (todos, else edited files), in one line; "" if nothing.

    `session_id` is the session that asks.
    """
    found = _state_of(body)
    todos, files = _texts(found.get("todos")), _texts(found.get("files"))
    if not (todos or files) or not 0 <= now_us - created_us < _MAX_AGE_US:
        return ""
    own = session_id and found.get("session_id") == shareable(session_id, ITEM_CHARS)
    branch = _texts([found.get("branch")])
    line = "this session" if own else "an earlier session"
    if branch:
        line += " on branch " + _brief(branch[0])
    return line + (" left open: " + _some(todos) if todos else " edited: " + _some(files))


def _some(items: list[str]) -> str:
    """The first items by name, the others by number."""
    more = len(items) - _NAMED_ITEMS
    return "; ".join(map(_brief, items[:_NAMED_ITEMS])) + (f"; and {more} more" if more > 0 else "")


def _brief(item: str) -> str:
    return item if len(item) <= _NAMED_CHARS else cut(item, _NAMED_CHARS - 1) + "…"


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []


def _state_of(body: bytes) -> dict[str, object]:
    try:
        found = decode(body).get("state")
    except WireError:
        return {}
    return found if isinstance(found, dict) else {}
