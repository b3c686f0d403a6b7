"""Adapter between a retrieval evaluation (JSON lines on a pipe) and the real store, analyzer and engine.

    python evaluate.py --data dev --adapter "python -m benchmarks.retrieval.score"
    python evaluate.py --data dev --adapter "python -m benchmarks.retrieval.score --hook --pad FACTS.jsonl:2000"

`--hook` answers what the prompt hook would inject: matching facts only, behind the injection gate. `--pad` adds that many
facts of another set, older than everything, to each namespace; they are never returned as ids.
"""

from __future__ import annotations

import argparse
import calendar
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from gmhooks.recall.engine import recall
from gmhooks.recall.gate import DEPTH, choose, worth_asking
from gmhooks.store.birth import give_birth
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add, retire
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.records import USER, Fact
from gmhooks.store.writer import run
from gmhooks.text.tokens import query_terms

DAY_US = 86_400_000_000


def micros(stamp: str) -> int:
    """Microseconds of an ISO 8601 time without zone, read as UTC."""
    return calendar.timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S")) * 1_000_000


class Adapter:
    """One temporary store. Each namespace ingested becomes an agent id of its own, also under a name used before."""

    def __init__(self, folder: str, hook: bool, padding: list[str]) -> None:
        self.folder = folder
        self.hook = hook
        self.padding = padding
        self.names: dict[bytes, str] = {}
        self.agents: dict[str, str] = {}
        self.now_us: dict[str, int] = {}
        self.count = 0
        self.reader: Store | None = None
        give_birth(folder)

    def ingest(self, name: str, facts: list[dict[str, Any]]) -> int:
        """Write the facts with their own times; retire what they supersede."""
        self.close()
        self.count += 1
        self.agents[name] = f"{name} {self.count}"
        run(self.folder, lambda store: self._write(store, self.agents[name], facts), True)
        self.now_us[name] = max(micros(fact["ts"]) for fact in facts) + DAY_US
        return len(facts)

    def close(self) -> None:
        """Let go of the store."""
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    def _write(self, store: Store, agent_id: str, facts: list[dict[str, Any]]) -> None:
        ns = ensure(store, agent_id)
        made: dict[str, Fact] = {}
        oldest = micros(facts[0]["ts"]) - len(self.padding) * 1_000_000
        for at, text in enumerate(self.padding):
            add(store, ns, text, oldest + at * 1_000_000, USER, as_dated=True)
        for fact in facts:
            new = made[fact["id"]] = add(store, ns, fact["text"], micros(fact["ts"]), USER, as_dated=True)
            self.names[new.id] = fact["id"]
            for old in fact.get("supersedes", ()):
                if made[old].live:
                    retire(store, ns, made[old], new.id)

    def query(self, name: str, text: str, top_k: int) -> list[str]:
        """Names of the facts recalled, best first; padding has no name and is left out."""
        return [self.names[fact] for fact in self.facts(name, text, top_k, gate=self.hook) if fact in self.names]

    def facts(self, name: str, text: str, top_k: int, *, gate: bool) -> list[bytes]:
        """Ids of the facts recalled, or of those a prompt hook would inject."""
        terms = query_terms(text)
        if gate and not worth_asking(terms):
            return []
        if self.reader is None:
            self.reader = open_read(self.folder)
        ns = find(self.reader, self.agents[name])
        ranked = recall(self.reader, ns, terms, self.now_us[name], DEPTH if gate else top_k, fill=not gate)
        hits = ranked.hits
        if gate:
            _, hits, _ = choose(ranked, recall(self.reader, None, terms, self.now_us[name]))
        return [hit.fact.id for hit in hits]


def padding(spec: str) -> list[str]:
    """The texts that `--pad FILE:COUNT` names."""
    path, _, count = spec.rpartition(":")
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines[: int(count)]]


def main() -> None:
    """Serve requests until `quit` or the end of input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hook", action="store_true")
    parser.add_argument("--pad", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        adapter = Adapter(folder, args.hook, padding(args.pad) if args.pad else [])
        for line in sys.stdin:
            message = json.loads(line)
            answer: dict[str, Any] = {"ok": True}
            if message["op"] == "quit":
                return
            if message["op"] == "ingest":
                answer["count"] = adapter.ingest(message["ns"], message["facts"])
            elif message["op"] == "query":
                ids = adapter.query(message["ns"], message["query"], message["k"])
                answer = {"id": message["id"], "ids": ids}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
