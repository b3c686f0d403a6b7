"""A prepared project whose hooks are run as the client runs them: one process each, JSON in, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gmhooks.store import create
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add, newest, pin
from gmhooks.store.namespaces import SHARED, ensure, find
from gmhooks.store.records import USER, Fact
from gmhooks.store.writer import run

SHIM = Path(create.__file__).parents[1] / "hooks" / "shim.py"
PAYLOADS = Path(__file__).parent / "payloads"
NOW = 1_780_000_000  # epoch seconds the hooks believe in
LONGEST_S = 60
PATIENCE = (20.0, 25.0)  # what a hook may take where its time is not the question, in seconds


def patient(limits: tuple[float, float] = PATIENCE) -> list[str]:
    """Command line of a hook with these bounds; its options follow."""
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("patient.py")), *map(str, limits)]


@dataclass(frozen=True)
class Answer:
    """What one hook process printed; it always ended with status 0 and an empty stderr."""

    stdout: bytes

    @property
    def object(self) -> dict[str, object]:
        """The one JSON object on stdout; {} for silence."""
        found = json.loads(self.stdout) if self.stdout else {}
        assert isinstance(found, dict)
        return found

    @property
    def context(self) -> str:
        """Text for the model."""
        specific = self.object.get("hookSpecificOutput")
        return str(specific["additionalContext"]) if isinstance(specific, dict) else ""

    @property
    def message(self) -> str:
        """Text for the user."""
        return str(self.object.get("systemMessage", ""))

    @property
    def lines(self) -> list[str]:
        """The facts shown, as printed."""
        return [line[2:] for line in self.context.split("\n") if line.startswith("- ")]


class Project:
    """A project directory with a trusted store, and the hooks that serve it."""

    def __init__(self, home: Path, name: str = "project") -> None:
        self.home = home
        self.root = home / name
        self.root.mkdir()
        self.user_dir = str(home / "user")
        self.data = self.root / ".graymatter"
        create.prepare(str(self.data), self.user_dir)

    def hook(
        self, payload: dict[str, object], clock: int = NOW, limits: tuple[float, float] = PATIENCE, **env: str
    ) -> Answer:
        """Run the hook for a payload; `clock` in epoch seconds, `limits` the seconds of watchdog and alarm."""
        done = subprocess.run(
            [*patient(limits), f"--user-dir={self.user_dir}"],
            input=json.dumps(payload).encode(),
            env={"PATH": os.defpath, "GRAYMATTER_CLOCK": f"@{clock}", **env},
            cwd=self.root,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return Answer(done.stdout)

    def recorded(self, name: str, clock: int = NOW, **changes: object) -> Answer:
        """Run the hook for a recorded payload of the real client, with some fields changed."""
        text = (PAYLOADS / f"{name}.json").read_text()
        text = text.replace("{{PROJECT}}", str(self.root)).replace("{{HOME}}", str(self.home))
        payload = json.loads(text) | changes
        for folder in (payload["cwd"],):
            Path(folder).mkdir(parents=True, exist_ok=True)
        return self.hook(payload, clock)

    def prompt(self, text: str, session: str = "s1", clock: int = NOW, **fields: object) -> Answer:
        """Run the prompt hook."""
        return self.hook(self.payload("UserPromptSubmit", session) | {"prompt": text} | fields, clock)

    def start(self, source: str = "startup", session: str = "s1", clock: int = NOW, **fields: object) -> Answer:
        """Run the session start hook."""
        return self.hook(self.payload("SessionStart", session) | {"source": source} | fields, clock)

    def compact(self, session: str = "s1", **fields: object) -> Answer:
        """Run the compaction hook."""
        return self.hook(self.payload("PreCompact", session) | {"trigger": "manual"} | fields)

    def end(self, session: str = "s1", clock: int = NOW, **fields: object) -> Answer:
        """Run the session end hook."""
        return self.hook(self.payload("SessionEnd", session) | {"reason": "other"} | fields, clock)

    def payload(self, event: str, session: str = "s1") -> dict[str, object]:
        """What every event carries."""
        return {"hook_event_name": event, "session_id": session, "cwd": str(self.root)}

    def add(
        self,
        *texts: str,
        shared: bool = False,
        source: int = USER,
        confidence: int = 0,
        pinned: bool = False,
        age_s: int = 3600,
    ) -> list[Fact]:
        """Store facts directly, written `age_s` seconds before now."""

        def work(store: Store) -> list[Fact]:
            ns = ensure(store, SHARED if shared else self.root.name)
            made = [add(store, ns, text, (NOW - age_s) * 1_000_000, source, confidence) for text in texts]
            for fact in made if pinned else ():
                pin(store, fact, 1)
            return made

        return run(str(self.data), work)

    def facts(self, shared: bool = False) -> list[str]:
        """Texts of the live facts, oldest first."""
        store = open_read(str(self.data))
        try:
            ns = find(store, SHARED if shared else self.root.name)
            return [fact.text for fact in newest(store, ns)][::-1] if ns is not None else []
        finally:
            store.close()

    @property
    def receipts(self) -> list[str]:
        """Codes in hooks.log, oldest first."""
        return [json.loads(line)["code"] for line in (self.data / "hooks.log").read_text().splitlines()]
