"""`graymatter log`: what hooks put into sessions, block by block."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE, Fault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.hooks.route import Route
from gmhooks.memory.injections import Injection, injections, last_block

_NEWEST = 20
_NAMED = 8


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--last", action="store_true", help="print the exact bytes of the last block")
    parser.add_argument("--session", metavar="ID", help="only what this session (id, or as log shows it) got, with facts")


def run(args: argparse.Namespace, out: Out) -> int:
    """Print the last block, or one line a block."""
    route = locate(args)
    return _last(args, route, out) if args.last else _blocks(args, route, out)


def _last(args: argparse.Namespace, route: Route, out: Out) -> int:
    block = last_block(route.data_dir, args.session)
    if block is None and args.session is not None and not injections(route.data_dir, args.session):
        raise _unknown(args.session)
    if block is None:
        raise Fault("not_found", "no block is kept: nothing was injected lately", then="graymatter status")
    if out.as_json:
        out.answer({"block": block.decode("utf-8", "replace"), "bytes": len(block)}, ())
    else:
        out.exact(block)
    return DONE


def _blocks(args: argparse.Namespace, route: Route, out: Out) -> int:
    found = injections(route.data_dir, args.session)
    if args.session is None:
        found = found[-_NEWEST:]
    elif not found:
        raise _unknown(args.session)
    facts = memory_of(route).facts_shown(route.agent_id, found)
    if not found and not out.as_json:
        out.note("Nothing was injected lately.")
    payload = {
        "blocks": [
            {
                "at": each.at,
                "event": each.event,
                "bytes": each.size,
                "session": each.session,
                "facts": [{"short_id": short, "text": text} for short, text in shown_facts],
            }
            for each, shown_facts in zip(found, facts, strict=True)
        ],
        "count": len(found),
        "bytes": sum(each.size for each in found),
    }
    out.answer(payload, _lines(found, facts, named=args.session is not None))
    return DONE


def _unknown(session: str) -> Fault:
    what = f"no such session: {shown(session)} got nothing that is still on record"
    return Fault("not_found", what, then="graymatter log names those that got something")


def _lines(found: list[Injection], facts: list[list[tuple[str, str]]], *, named: bool) -> list[str]:
    lines = []
    for each, shown_facts in zip(found, facts, strict=True):
        session = "" if named else f" session {each.session[:_NAMED]}"
        size = f"{counted(len(each.keys), 'fact')}, {counted(each.size, 'byte')}"
        ids = "" if named else "".join(f" [{short}]" for short, _ in shown_facts)
        lines.append(f"{each.at} {shown(each.event)}{session}: {size}{ids}")
        if named:
            lines += [f"  [{short}] {shown(text)}" for short, text in shown_facts]
    return lines
