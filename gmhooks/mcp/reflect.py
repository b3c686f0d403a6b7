"""memory_reflect: one function an action; each leaves an entry in the audit trail, in the same transaction."""

from __future__ import annotations

from gmhooks.hooks.admit import admit
from gmhooks.hooks.wire import encode
from gmhooks.mcp.answers import Answer
from gmhooks.mcp.texts import reflected
from gmhooks.mcp.validate import action as checked_action
from gmhooks.mcp.validate import identity, label, required, subject
from gmhooks.mcp.write import draft, store_fact
from gmhooks.memory.correcting import forget, set_pin, update
from gmhooks.memory.linking import link_names
from gmhooks.recall.receipt import written_at
from gmhooks.store.audit import record
from gmhooks.store.ids import encode as encode_id
from gmhooks.store.records import CONFIDENCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gmhooks.mcp.place import Place
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact

LONGEST_NAME = 200


class _Case:
    """One reflection: who, what, when, with which arguments."""

    def __init__(self, place: Place, action: str, owner: str, given: dict[str, Any]) -> None:
        self.place = place
        self.action = action
        self.owner = owner
        self.given = given
        self.now_us = place.now_us()

    def entry(self, old: str | None, new: str) -> bytes:
        """The audit entry."""
        entry = {"timestamp": written_at(self.now_us), "action": self.action, "agent": self.owner}
        if old is not None:
            entry["old_text"] = old
        return encode(entry | {"new_text": new, "source": "agent_self"})

    def note(self, store: Store, old: str | None, new: str) -> None:
        """Write the audit entry (write)."""
        record(store, self.entry(old, new), self.now_us)

    def answer(self, texts: list[str], new: str = "", **more: object) -> Answer:
        """What is told of a reflection that was carried out."""
        body = {"action": self.action, "agent": self.owner, "ok": True, **more}
        return Answer(reflected(self.action, self.owner, texts, new), body)


def reflect(place: Place, given: dict[str, Any]) -> Answer:
    """Carry out one action on memory."""
    action = checked_action(given)
    case = _Case(place, action, identity(given), given)
    return _ACTIONS[action](case)


def _add(case: _Case) -> Answer:
    made, _ = draft(case.place, case.owner, required(case.given, "text"), label(case.given, "confidence"))
    stored = store_fact(case.place, made, case.entry(None, made.text))
    more = {"fact_id": stored.id, "confidence": case.given["confidence"]} if "confidence" in case.given else {}
    answer = case.answer([], made.text, **more)
    answer.text = "; ".join([answer.text, *stored.notes])
    return answer


def _update(case: _Case) -> Answer:
    target = required(case.given, "target")
    made, _ = draft(case.place, case.owner, required(case.given, "text"), label(case.given, "confidence"))

    def work(store: Store) -> tuple[Fact, list[Fact]]:
        fact, victims = update(store, target, made)
        case.note(store, victims[0].text, fact.text)
        return fact, victims

    fact, victims = case.place.correct(work)
    more = {"confidence": CONFIDENCES[fact.confidence]} if 0 < fact.confidence < len(CONFIDENCES) else {}
    return case.answer([victims[0].text], fact.text, fact_id=encode_id(fact.id), **more)


def _forget(case: _Case) -> Answer:
    target = subject(case.given, case.action)

    def work(store: Store) -> list[Fact]:
        victims = forget(store, case.owner, target)
        case.note(store, victims[0].text, "")
        return victims

    return case.answer([case.place.correct(work)[0].text])


def _pin(case: _Case) -> Answer:
    target = subject(case.given, case.action)
    when_us = case.now_us if case.action == "pin" else 0

    def work(store: Store) -> list[Fact]:
        facts = set_pin(store, case.owner, target, when_us)
        case.note(store, facts[0].text, "")
        return facts

    return case.answer([case.place.correct(work)[0].text])


def _link(case: _Case) -> Answer:
    source, target = (admit(required(case.given, name)).text[:LONGEST_NAME] for name in ("text", "target"))

    def work(store: Store) -> list[str]:
        edge = link_names(store, case.owner, source, target, case.now_us)
        case.note(store, None, f"{edge.source} -> {edge.target}")
        return [f"{edge.source} -> {edge.target}"]

    return case.answer(case.place.change(work))


_ACTIONS: dict[str, Callable[[_Case], Answer]] = {
    "add": _add,
    "update": _update,
    "forget": _forget,
    "link": _link,
    "pin": _pin,
    "unpin": _pin,
}
