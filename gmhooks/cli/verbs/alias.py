"""`graymatter alias`: words that mean the same, so that a question with one finds facts with the other."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, UsageFault
from gmhooks.cli.options import check_agent_id, check_owner
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import is_known, locate, memory_of
from gmhooks.memory.views import FactView
from gmhooks.store.namespaces import SHARED


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add, show = "[add] [agent_id] TERM EQUIVALENTS", "list [agent_id]"
    parser.usage = f"graymatter alias [options] {add}\n       graymatter alias [options] {show}"
    parser.add_argument("words", nargs="+", metavar="WORD", help="a term and its equivalents, with commas between them")
    parser.add_argument("--shared", action="store_true", help="for every agent of this project")


def run(args: argparse.Namespace, out: Out) -> int:
    """Add an alias, or list the live ones."""
    words = args.words
    if words[0] == "list":
        return _list(args, words[1:], out)
    return _add(args, words[1:] if words[0] == "add" else words, out)


def _add(args: argparse.Namespace, words: list[str], out: Out) -> int:
    route = locate(args)
    agent_id = SHARED if args.shared else route.agent_id
    if not args.shared and len(words) > 2:
        agent_id, *words = check_owner(words[0]), *words[1:]
    if len(words) < 2:
        raise UsageFault("alias takes a term and its equivalents", then='graymatter alias db "database, datastore"')
    equivalents = [part for word in words[1:] for part in word.split(",")]
    memory = memory_of(route)
    known = {each.id for each in memory.aliases(agent_id)}
    begun = agent_id not in (route.agent_id, SHARED) and not is_known(memory, agent_id)
    try:
        fact = memory.alias(agent_id, words[0], equivalents)
    except ValueError as error:
        raise UsageFault(str(error)) from None
    payload = {
        "agent_id": fact.agent_id,
        "term": words[0].strip(),
        "equivalents": [part.strip() for part in equivalents if part.strip()],
        "stored": True,
        "id": fact.id,
        "short_id": fact.short_id,
    }
    whose = "shared memory" if agent_id == SHARED else shown(agent_id)
    said = f"[{fact.short_id}] {shown(fact.text)} (for {whose})."
    undo = f" Undo: graymatter forget {fact.short_id}"
    out.confirm(payload, [f"Already there: {said}" if fact.id in known else said + undo])
    if begun and not out.as_json:
        hint = "If that is a word of the alias: forget it, and separate the equivalents by commas"
        out.note(f"It is the first alias of the agent id {shown(agent_id)}. {hint}")
    return DONE


def _list(args: argparse.Namespace, words: list[str], out: Out) -> int:
    if len(words) > 1 or (words and args.shared):
        raise UsageFault("alias list takes at most one agent id, or --shared")
    route = locate(args)
    agent_id = SHARED if args.shared else check_agent_id(words[0]) if words else route.agent_id
    found = memory_of(route).aliases(agent_id)
    if not found and not out.as_json:
        out.note(f"No aliases under {shown(agent_id)}.")
    payload = {"agent_id": agent_id, "aliases": [_object(fact) for fact in found], "count": len(found)}
    out.answer(payload, [f"[{fact.short_id}] {shown(fact.text)} ({_origin(fact)})" for fact in found])
    return DONE


def _object(fact: FactView) -> dict[str, object]:
    return fact.as_object() | {"alias_source": _origin(fact)}


def _origin(fact: FactView) -> str:
    return "usage" if fact.source == "consolidation" else "authored"
