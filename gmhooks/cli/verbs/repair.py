"""`graymatter repair`: check the store and, if it is damaged, build a new one from what can still be read."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.memory.access import require_prepared
from gmhooks.memory.places import user_dir
from gmhooks.store.repair import Repaired, repair

_MOST_PROBLEMS = 5


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Repair what is wrong and say what became of it."""
    route = locate(args)
    require_prepared(route.data_dir)
    done = repair(route.data_dir, user_dir(os.environ))
    payload = {"status": "repaired" if done.problems else "sound", "store": route.data_dir, **asdict(done)}
    out.answer(payload, lines(done))
    return DONE


def lines(done: Repaired) -> list[str]:
    """What a repair found and did, for people."""
    said = []
    if done.problems:
        said += [f"Damaged: {shown(problem)}" for problem in done.problems[:_MOST_PROBLEMS]]
        if len(done.problems) > _MOST_PROBLEMS:
            said.append(f"  and {counted(len(done.problems) - _MOST_PROBLEMS, 'problem')} more")
        lost = f"known to be lost: {done.lost:,}" if done.lost is not None else "how many are lost is unknown"
        said.append(f"Saved from it: {counted(done.facts, 'fact')}; {lost}.")
        said += [f"An agent id is lost; its facts are now under {name}." for name in done.unnamed]
        said.append(f"The damaged file is kept as {shown(done.kept)}.")
    else:
        said.append("The store is sound.")
    if done.filed:
        said.append(f"{counted(done.filed, 'waiting save')} filed.")
    if done.unreadable:
        said.append(f"{counted(done.unreadable, 'file')} in spool/ cannot be read and stayed there.")
    return said + [f"Made private: {shown(path)}" for path in done.modes]
