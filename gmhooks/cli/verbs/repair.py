"""`graymatter repair`: check the store and, if it is damaged, build a new one from what can still be read."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from gmhooks.cli.errors import DONE
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.cli.program import runnable
from gmhooks.memory.access import require_prepared
from gmhooks.memory.places import user_dir
from gmhooks.store.backup import listed_files
from gmhooks.store.repair import Repaired, repair

_MOST_PROBLEMS = 5


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Repair what is wrong and say what became of it."""
    route = locate(args)
    require_prepared(route.data_dir)
    done = repair(route.data_dir, user_dir(os.environ))
    backups = listed_files(route.data_dir)
    status = "repaired" if done.problems else "sound"
    payload = {"status": status, "store": route.data_dir, **asdict(done), "backups": backups}
    out.answer(payload, [*lines(done), *(_way_back(backups) if done.problems and done.lost != 0 else ())])
    return DONE


def _way_back(backups: list[str]) -> list[str]:
    """What may hold the facts that are lost."""
    if not backups:
        return ["There is no backup of this store."]
    return [
        *(f"Backup: {shown(path)}" for path in backups),
        runnable("graymatter restore brings the newest back, graymatter restore FILE another; what is there now is kept."),
    ]


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
