"""Divides checks into parts and runs each in a process of its own: side by side what measures no time, the rest alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tests.faults.ground import Ground
from tests.faults.outcome import Outcome
from tests.faults.promises import Check, named
from tests.faults.table import Part, parsed, written
from tests.installed import CHECKOUT, Program


def split(check: Check, full: bool, share: float = 1.0) -> list[Part]:
    """The work of one check; in the small run nothing is split."""
    if not full:
        return [Part(check.name, 1, check.quick)]
    size = max(1, round(check.full * share))
    return [
        Part(check.name, number + 1, size * (number + 1) // check.parts - size * number // check.parts)
        for number in range(min(check.parts, size))
    ]


def run(parts: list[Part], done: set[Part], program: Program) -> Iterator[tuple[Part, Outcome, float]]:
    """Each part in a process of its own as it ends: first what measures nothing, side by side, then the rest alone."""
    for alone in (False, True):
        left = [part for part in parts if part not in done and named(part.check).alone == alone]
        with ThreadPoolExecutor(1 if alone else os.cpu_count()) as pool:
            for future in as_completed([pool.submit(_apart, part, program) for part in left]):
                yield future.result()


def _apart(part: Part, program: Program) -> tuple[Part, Outcome, float]:
    command = [sys.executable, "-m", "tests.faults.run", str(program.prefix), json.dumps(asdict(part))]
    ran = subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode == 0:
        return parsed(ran.stdout)
    outcome = Outcome()
    outcome.fail(f"part {part.part} came to no end: status {ran.returncode}")
    return part, outcome, 0.0


def perform(part: Part, program: Program) -> tuple[Part, Outcome, float]:
    """One part on fresh ground, and how long it took in seconds."""
    base = Path(tempfile.mkdtemp(prefix="gm-ground-")).resolve()
    began = time.monotonic()
    try:
        outcome = named(part.check).on(Ground(program, base), part.size, part.part)
    finally:
        shutil.rmtree(base, ignore_errors=True)  # the work after a session may still be busy in it
    return part, outcome, time.monotonic() - began


if __name__ == "__main__":
    sys.stdout.write(written(*perform(Part(**json.loads(sys.argv[2])), Program(Path(sys.argv[1])))))
