"""One project with a trusted store, and its tools called without any protocol."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gmhooks.mcp.answers import Answer
from gmhooks.mcp.perform import perform
from gmhooks.mcp.place import Place
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import everything
from gmhooks.store.namespaces import find
from gmhooks.store.records import Fact

NOW = 1_780_000_000
AGENT = "project"


class Desk:
    """The project; `call` performs a tool, `facts` looks into the store."""

    def __init__(self, folder: Path, name: str = AGENT) -> None:
        self.home = folder
        self.root = folder / name
        self.root.mkdir()
        self.data = self.root / ".graymatter"
        self.user_dir = str(folder / ".local/share/gmhooks")
        os.makedirs(os.path.dirname(self.user_dir), exist_ok=True)
        prepare(str(self.data), self.user_dir)
        self.environ = {b"CLAUDE_PROJECT_DIR": os.fsencode(self.root), b"GRAYMATTER_CLOCK": b"@%d" % NOW}
        self.place = Place(self.environ, self.user_dir)

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Any call, with these arguments and no others."""
        return perform(self.place, tool, arguments)

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Structured content of a call that must succeed, for this project's agent unless another is named."""
        answer = self.call(tool, **{"agent_id": AGENT, **arguments})
        assert not answer.error, answer.text
        assert answer.structured is not None
        return answer.structured

    def error(self, tool: str, **arguments: Any) -> str:
        """Text of a call that must fail, and that has text only."""
        answer = self.call(tool, **arguments)
        assert answer.error, answer.text
        assert answer.structured is None
        return answer.text

    def store(self) -> Store:
        """The store for reading; the caller closes it."""
        return open_read(str(self.data))

    def facts(self, agent_id: str = AGENT) -> list[Fact]:
        """Every fact of an agent, retired ones too, oldest first."""
        store = self.store()
        try:
            ns = find(store, agent_id)
            return list(everything(store, ns))[::-1] if ns is not None else []
        finally:
            store.close()

    def live(self, agent_id: str = AGENT) -> list[str]:
        """Texts of the live facts, oldest first."""
        return [fact.text for fact in self.facts(agent_id) if fact.live]

    def bytes(self) -> bytes:
        """The data file, to show that nothing was written."""
        return (self.data / "gray.mdb").read_bytes()
