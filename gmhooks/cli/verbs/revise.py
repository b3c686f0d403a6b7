"""`graymatter revise [agent_id] OLD NEW`: replace one fact by a new text; also called `update` and `supersede`."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, Fault
from gmhooks.cli.options import CONFIDENCES, split_words
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import corrected_scopes, locate, memory_of
from gmhooks.memory.errors import AliasMeant
from gmhooks.memory.options import WriteOptions
from gmhooks.memory.outcomes import Revised


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "graymatter revise [options] [agent_id] OLD NEW"
    parser.add_argument("words", nargs="+", metavar="WORD", help="an id or the whole old text, then the new text")
    parser.add_argument("--shared", action="store_true", help="look in shared memory only")
    parser.add_argument("--confidence", choices=CONFIDENCES, help="how well founded the new fact is")


def run(args: argparse.Namespace, out: Out) -> int:
    """Store the new fact and retire the old one with every copy of its text, in one transaction."""
    agent_id, (old, new) = split_words(args.words, "old fact", "new text", shared=args.shared)
    route = locate(args)
    scopes, anywhere = corrected_scopes(route, agent_id, shared=args.shared)
    options = WriteOptions(args.confidence)
    try:
        done = memory_of(route).revise(old, new, scopes, ids_anywhere=anywhere, options=options)
    except AliasMeant as error:
        raise Fault("alias", str(error), then='write it as "alias: db = database, datastore"') from None
    out.confirm(_payload(done), _lines(done))
    for note in done.notes:
        out.note(note)
    return DONE


def _payload(done: Revised) -> dict[str, object]:
    body: dict[str, object] = {
        "agent_id": done.fact.agent_id,
        "superseded": [fact.id for fact in done.replaced],
        "superseded_by": done.fact.id,
        "short_id": done.fact.short_id,
        "retired_text": done.replaced[0].text,
        "replacement": done.fact.text,
        "confidence": done.fact.confidence,
    }
    return body | ({"notes": list(done.notes)} if done.notes else {})


def _lines(done: Revised) -> list[str]:
    lines = [f"Replaced [{fact.short_id}] {shown(fact.text)}" for fact in done.replaced]
    return [*lines, f"by [{done.fact.short_id}] {shown(done.fact.text)}. Undo: graymatter undo"]
