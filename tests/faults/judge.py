"""Looks at a data directory in a process of its own, so that a store which kills its reader is a finding and not the end.

Run as `python -m tests.faults.judge`: one line of JSON in, one out: {"folder", "user", "act": "read" | "settle" | "repair"}.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass
class Seen:
    """What a data directory holds: live texts, texts that wait, what is wrong. `died` is the signal of a death."""

    stored: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    died: int = 0

    @property
    def texts(self) -> set[str]:
        """Everything that is not lost."""
        return {*self.stored, *self.waiting}


class Judge:
    """A helper process that is started again when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, folder: Path, act: str = "read", user_dir: Path | None = None) -> Seen:
        """`read` looks, `settle` files the spool first, `repair` repairs first."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.judge"], cwd=CHECKOUT, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        process = self._process
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"folder": str(folder), "user": str(user_dir or ""), "act": act}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            self._process = None
            return Seen(died=-process.wait() or 1)
        return Seen(**json.loads(line))

    def close(self) -> None:
        """End the helper."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


@contextmanager
def judge() -> Iterator[Judge]:
    """A judge for the time of a block."""
    made = Judge()
    try:
        yield made
    finally:
        made.close()


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    from gmhooks.store.check import verify
    from gmhooks.store.env import open_read
    from gmhooks.store.errors import StoreError
    from gmhooks.store.facts import newest
    from gmhooks.store.namespaces import listed
    from gmhooks.store.repair import repair
    from gmhooks.store.spool import pending
    from gmhooks.store.writer import run

    folder = asked["folder"]
    found: dict[str, Any] = {"stored": [], "waiting": [], "problems": []}
    try:
        if asked["act"] == "settle":
            run(folder, lambda store: None, patient=True, user_dir=asked["user"])
        elif asked["act"] == "repair":
            repair(folder, asked["user"])
        found["waiting"] = [spooled.text for spooled in pending(folder)]
        found["problems"] = verify(folder)
        if not found["problems"]:
            store = open_read(folder)
            found["stored"] = [fact.text for ns in listed(store) for fact in newest(store, ns)]
            store.close()
    except StoreError as error:
        found["problems"].append(f"{error.code}: {error}")
    return found


def _serve() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
