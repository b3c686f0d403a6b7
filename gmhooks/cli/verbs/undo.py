"""`graymatter undo`: take back the last save of this project, or the last forget."""

from __future__ import annotations

import argparse

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.store.namespaces import SHARED


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Retire what was saved last by prompt or command line and restore what it had replaced, or restore what was forgotten
    since; say what that was."""
    route = locate(args)
    done = memory_of(route).undo(None if args.dir is None else [route.agent_id, SHARED])
    payload = {
        "agent_id": (done.fact or done.restored[0]).agent_id,
        "undone": done.fact.as_object() if done.fact else None,
        "restored": [fact.as_object() for fact in done.restored],
    }
    lines = []
    if done.fact:
        whose = "" if done.fact.agent_id in (route.agent_id, SHARED) else f" in {shown(done.fact.agent_id)}"
        lines = [f"Undone{whose}: [{done.fact.short_id}] {shown(done.fact.text)}"]
    lines += [f"Holds again: [{fact.short_id}] {shown(fact.text)}" for fact in done.restored]
    out.confirm(payload, lines)
    if done.newer is not None:
        whose, name = shown(done.newer.agent_id), done.newer.short_id
        told = f"A newer save, [{name}] of {whose}, stays: in a store named by --dir it may be another project's"
        out.note(f"{told}. To retire it: graymatter forget {name}")
    return DONE
