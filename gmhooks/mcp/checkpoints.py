"""checkpoint_save and checkpoint_resume."""

from __future__ import annotations

from gmhooks.hooks.admit import Refused
from gmhooks.hooks.wire import encode
from gmhooks.mcp.answers import Answer
from gmhooks.mcp.frames import Unreadable, parse
from gmhooks.mcp.texts import line
from gmhooks.mcp.validate import Invalid, agent_id, on_missing
from gmhooks.memory.checkpointing import earlier_checkpoints, newest_checkpoint, save_checkpoint
from gmhooks.memory.filtering import filtered
from gmhooks.recall.receipt import written_at
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.ids import encode as encode_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.place import Place
    from gmhooks.store.env import Store

MOST_BYTES = 64 << 10


def save(place: Place, given: dict[str, Any]) -> Answer:
    """Store where the work stands, without private parts and secrets."""
    owner = agent_id(given)
    body: dict[str, Any] = {"metadata": {"source": "mcp"}}
    withheld = 0
    if given.get("state") is not None:
        body["state"], withheld = _state(given["state"])
    now_us = place.now_us()
    made = encode_id(place.change(lambda store: save_checkpoint(store, owner, encode(body), now_us)))
    created = written_at(now_us)
    said = f"Checkpoint {made} saved for agent {line(owner)!r}"
    answer: dict[str, Any] = {"agent_id": owner, "checkpoint_id": made, "created_at": created}
    if withheld:
        return Answer(f"{said}; secrets withheld: {withheld}", answer | {"withheld": withheld})
    return Answer(said, answer)


def resume(place: Place, given: dict[str, Any]) -> Answer:
    """The newest checkpoint; without one an error, or `found: false` when asked for.

    A session's end leaves one by itself: what the agent saved on purpose before goes along with it, under `saved`.
    """
    owner = agent_id(given)
    missing = on_missing(given)
    found = place.read(lambda store, _: _newest(store, owner) if store is not None else [])
    if not found:
        said = f"no checkpoint found for agent {line(owner)!r}"
        if missing == "error":
            return Answer(said, error=True)
        return Answer(said[:1].upper() + said[1:], {"found": False, "agent_id": owner})
    body = found[0]
    if len(found) > 1 and "state" in found[1]:
        body["state"] = {**body.get("state", {}), "saved": found[1]}
    state = line(encode(body.get("state", {})).decode())
    return Answer(f"Checkpoint {body['id']} of {body['created_at']}: {state}", body)


def _newest(store: Store, owner: str) -> list[dict[str, Any]]:
    """The newest checkpoint and, when it was made by a hook, the newest that was not."""
    newest = newest_checkpoint(store, owner)
    if newest is None:
        return []
    first, automatic = _told(*newest)
    if automatic:
        for other in earlier_checkpoints(store, owner):
            told, by_hook = _told(*other)
            if not by_hook:
                return [first, told]
    return [first]


def _told(made: bytes, created_us: int, raw: bytes) -> tuple[dict[str, Any], bool]:
    """A checkpoint as it is answered, and whether a hook made it."""
    record = _record(raw)
    body: dict[str, Any] = {"id": encode_id(made), "created_at": written_at(created_us)}
    if isinstance(record.get("state"), dict):
        body["state"] = record["state"]
    if isinstance(record.get("messages"), list):
        body["message_count"] = len(record["messages"])
    about = record.get("metadata")
    return body, isinstance(about, dict) and about.get("source") == "hooks"


def _record(raw: bytes) -> dict[str, Any]:
    try:
        record = parse(raw)
    except Unreadable:
        record = None
    if not isinstance(record, dict):
        raise StoreDamaged("the newest checkpoint cannot be read")
    return record


def _state(text: object) -> tuple[object, int]:
    """The object that the string holds as it may be stored, and how many secrets were withheld. Raises Invalid."""
    if not isinstance(text, str):
        raise Invalid("state must be valid JSON: a string that holds an object")
    try:
        raw = text.encode("utf-8", "surrogatepass")
        found = parse(raw)
    except Unreadable:
        raise Invalid("state must be valid JSON: it could not be parsed") from None
    if not isinstance(found, dict):
        raise Invalid("state must be valid JSON: an object, not another value")
    if len(raw) > MOST_BYTES:
        raise Invalid(f"state has {len(raw):,} bytes; at most {MOST_BYTES:,} are stored")
    try:
        kept, withheld = filtered(found)
    except Refused as error:
        raise Invalid(str(error)) from None
    return kept, withheld
