"""`graymatter remember [agent_id] TEXT`: save one fact."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.options import CONFIDENCES, split_owner
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.hooks.waiting import waits
from gmhooks.memory.api import Memory
from gmhooks.memory.views import Remembered

_UNQUOTED = "forget it, and quote the whole text"


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "graymatter remember [options] [agent_id] TEXT"
    parser.add_argument("words", nargs="+", metavar="TEXT", help="the fact; quote it")
    parser.add_argument("--shared", action="store_true", help="save for every agent of this project")
    parser.add_argument("--confidence", choices=CONFIDENCES, help="how well founded the fact is")


def run(args: argparse.Namespace, out: Out) -> int:
    """Save the fact and answer with its id and how to undo it."""
    agent_id, text = split_owner(args.words, "text", shared=args.shared)
    route = locate(args)
    memory = memory_of(route)
    saved = memory.remember(agent_id or route.agent_id, text, shared=args.shared, confidence=args.confidence)
    out.confirm(_payload(saved, shared=args.shared), _lines(saved, shared=args.shared))
    for note in saved.notes:
        out.note(note)
    elsewhere = agent_id not in (None, route.agent_id) and not out.as_json
    if elsewhere and saved.outcome == "stored" and _is_first(memory, saved.agent_id):
        out.note(f"It is the first fact of the agent id {shown(saved.agent_id)}. If that is a word of the text: {_UNQUOTED}")
    return DONE


def _is_first(memory: Memory, agent_id: str) -> bool:
    overview = memory.overview()
    counts = [count for count in overview.namespaces if count.agent_id == agent_id] if overview else []
    return sum(count.live + count.retired + count.aliases for count in counts) == 1


def _payload(saved: Remembered, *, shared: bool) -> dict[str, object]:
    whose = {"scope": "shared"} if shared else {"agent_id": saved.agent_id}
    body: dict[str, object] = {**whose, "status": saved.outcome, "id": saved.id, "short_id": saved.short_id}
    body |= {"reason": saved.reason} if saved.reason else {}
    return body | ({"notes": list(saved.notes)} if saved.notes else {})


def _lines(saved: Remembered, *, shared: bool) -> list[str]:
    whose = "shared memory" if shared else shown(saved.agent_id)
    undo = f"Undo: graymatter forget {saved.short_id}"
    if saved.outcome == "duplicate":
        return [f"Already remembered in {whose} [{saved.short_id}]."]
    if saved.outcome == "spooled":
        return [
            f"Saved to disk for {whose} [{saved.short_id}], {waits(saved.reason)} {undo}"
        ]
    return [f"Remembered in {whose} [{saved.short_id}]. {undo}"]
