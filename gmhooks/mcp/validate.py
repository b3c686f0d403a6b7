"""Arguments of a call, checked before anything happens. What is documented as lenient is; confidence options never are."""

from __future__ import annotations

from gmhooks.mcp.schemas import ACTIONS, LABELS, TOP_K, WEIGHT_TOP
from gmhooks.mcp.tools import ADD, BATCH, REFLECT, SEARCH
from gmhooks.memory.agents import checked_agent_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Arguments = Mapping[str, Any]

MOST_RESULTS = 1_000
MOST_QUERIES = 100
_READERS = (SEARCH, BATCH)
_WRITERS = (ADD, REFLECT)
_LABELLED = ("add", "update")


class Invalid(Exception):
    """A call that cannot be carried out as it was made; the message names the field. Nothing has happened."""


def options(tool: str, given: Arguments) -> None:
    """Refuse confidence options that this tool does not have, and values that they cannot have."""
    for name, tools in (("min_confidence", _READERS), ("confidence_weight", _READERS), ("confidence", _WRITERS)):
        if name in given and tool not in tools:
            raise Invalid(f"{name} is not supported by {tool}")
    label(given, "confidence")
    label(given, "min_confidence")
    weight(given)


def label(given: Arguments, name: str) -> str | None:
    """The confidence label under `name`, None if it is absent."""
    if name not in given:
        return None
    value = given[name]
    if not isinstance(value, str) or value not in LABELS:
        raise Invalid(f"{name} must be exactly one of {', '.join(LABELS)}")
    return value


def weight(given: Arguments) -> float | None:
    """The confidence weight, None if it is absent."""
    if "confidence_weight" not in given:
        return None
    value = given["confidence_weight"]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= WEIGHT_TOP:
        raise Invalid("confidence_weight must be a number from 0 to 0.5")
    return float(value)


def required(given: Arguments, name: str) -> str:
    """A string that is not blank, unchanged."""
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"{name} is required: a string that is not blank")
    return value


def agent_id(given: Arguments) -> str:
    """Whose memory, unchanged."""
    return _checked(required(given, "agent_id"))


def identity(given: Arguments) -> str:
    """Who reflects: `agent_id`, or the older `agent`. A blank or wrong one fails even beside a good one."""
    for name in ("agent_id", "agent"):
        value = given.get(name)
        if name in given and (not isinstance(value, str) or not value.strip()):
            raise Invalid(f"{name} must be a string that is not blank")
    found = given.get("agent_id", given.get("agent"))
    if found is None:
        raise Invalid("agent_id is required: whose memory (agent is its older name)")
    return _checked(found)


def _checked(found: str) -> str:
    try:
        return checked_agent_id(found)
    except ValueError as error:
        raise Invalid(f"agent_id cannot be used: {error}") from None


def top_k(given: Arguments) -> int:
    """How many facts: 8 unless a number above 0 was given; some clients send it as digits."""
    value = given.get("top_k")
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:9])
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 1:
        return TOP_K
    return int(min(value, MOST_RESULTS))


def queries(given: Arguments) -> list[Any]:
    """The questions of a batch; each is looked at on its own."""
    value = given.get("queries")
    if not isinstance(value, list) or not value:
        raise Invalid("queries is required: a list of questions")
    if len(value) > MOST_QUERIES:
        raise Invalid(f"queries has {len(value)} entries; at most {MOST_QUERIES} in one call")
    return value


def equivalents(given: Arguments) -> list[str]:
    """The words of an alias without the blank ones."""
    value = given.get("equivalents")
    words = [word.strip() for word in value if isinstance(word, str)] if isinstance(value, list) else []
    words = [word for word in words if word]
    if not words:
        raise Invalid("equivalents is required: a list with at least one word")
    return words


def on_missing(given: Arguments) -> str:
    """What to answer without a checkpoint."""
    value = given.get("on_missing", "error")
    if value not in ("error", "empty"):
        raise Invalid('on_missing must be "error" or "empty"')
    return str(value)


def action(given: Arguments) -> str:
    """What to do to memory; a label belongs only to the actions that write a fact."""
    value = given.get("action")
    if value is None:
        raise Invalid(f"action is required: one of {', '.join(ACTIONS)}")
    if not isinstance(value, str) or value not in ACTIONS:
        raise Invalid(f"unknown action {str(value)[:40]!r}: use one of {', '.join(ACTIONS)}")
    if "confidence" in given and value not in _LABELLED:
        raise Invalid(f"confidence is not supported by {REFLECT} {value}")
    return value


def subject(given: Arguments, action_name: str) -> str:
    """The fact that forget, pin or unpin means: `target`, else `text`."""
    for name in ("target", "text"):
        value = given.get(name)
        if isinstance(value, str) and value.strip():
            return value
    raise Invalid(f"text or target is required for {action_name}: the fact as stored, or its id")
