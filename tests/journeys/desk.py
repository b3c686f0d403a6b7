"""One user's desk: a home, a project, gmhooks, the real client, and the requests that reached the model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.installed import Program
from tests.journeys.client import Record

CLIENT_LIMIT_S = 120
_MANY = """
import sys
from gmhooks.store.records import CLI
from gmhooks.store.writer import save
folder, agent_id, count, now_us = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
texts = [f"Shelf {n} of the warehouse in aisle {n % 17} holds spare part number {n * 37}" for n in range(count)]
done = save(folder, [(agent_id, text, CLI, 0) for text in texts], now_us, True)
assert [saved.outcome for saved in done] == ["saved"] * count, done
"""


class Desk:
    """What a user does: runs verbs, prompts the client, and what a curious one sees: the requests."""

    def __init__(self, root: Path, program: Program, api: Any, module: ModuleType, client: str) -> None:
        self.home = root / "home"
        self.project = root / "my-project"
        self.program = program
        self.api = api
        self.module = module
        self.client = client
        self.home.mkdir(parents=True)
        self.project.mkdir()

    @property
    def settings(self) -> Path:
        return self.project / ".claude" / "settings.local.json"

    def graymatter(self, *words: str) -> str:
        """Run a verb in the project; it must succeed."""
        return self.program.done(*words, cwd=self.project, home=self.home)

    def facts(self) -> list[dict[str, Any]]:
        """Every live fact of the project, shared ones included."""
        found: list[dict[str, Any]] = json.loads(self.graymatter("list", "--all", "--json"))["facts"]
        return found

    def fill(self, count: int, now_us: int) -> None:
        """Save `count` facts about something else, newer than all there are, in one transaction."""
        store = str(self.project / ".graymatter")
        command = self.program.inside(_MANY, store, "my-project", str(count), str(now_us))
        subprocess.run(command, check=True, timeout=60)

    def prompt(self, text: str, *flags: str, below: str = "") -> list[Record]:
        """One headless session turn in the project, or `below` it; the requests of the main conversation it made."""
        seen = len(self.api.records)
        ran = subprocess.run(
            [self.client, "-p", text, *flags], cwd=self.project / below, env=self.api.client_env(self.home),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CLIENT_LIMIT_S, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        assert "hook" not in ran.stderr.casefold(), ran.stderr
        return [record for record in self.api.records[seen:] if record["kind"] == "main"]

    def receipts(self) -> str:
        """hooks.log, for failure messages."""
        path = self.project / ".graymatter" / "hooks.log"
        return path.read_text() if path.exists() else "no hooks.log"

    def until(self, what: str, condition: Callable[[], Any], limit_s: float = 60) -> Any:
        """Poll until `condition` is true and return its value; AssertionError after `limit_s` seconds."""
        import time

        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never happened: {what}; {self.receipts()}")


def raw(record: Record) -> str:
    """The request body as text: what the model is sent, whole."""
    return json.dumps(record["body"], ensure_ascii=False)


def context_of(record: Record, event: str) -> list[str]:
    """Each text that this event's hooks added as context, as it stands in the request."""
    mark = f"{event} hook additional context: "
    found: list[str] = []
    for message in record["body"]["messages"]:
        content = message["content"]
        for block in [content] if isinstance(content, str) else [part.get("text", "") for part in content]:
            found += block.split(mark)[1:]
    return found
