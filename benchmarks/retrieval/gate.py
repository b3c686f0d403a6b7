"""What the injection gate costs and saves: facts injected per unrelated prompt, recall@3 with and without it.

    python -m benchmarks.retrieval.gate --data DEV --sets devmem,currency --pad DEV/locomo-turns/facts.jsonl:2000

Unrelated prompts of any set are asked of every set. Injected padding counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.retrieval.score import Adapter, padding

SHOWN = 3


def rows(path: Path) -> list[dict[str, Any]]:
    """One value a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found(adapter: Adapter, query: dict[str, Any], *, gate: bool) -> float:
    """Share of the gold facts among the first three."""
    ids = adapter.facts(query["ns"], query["query"], SHOWN, gate=gate)[:SHOWN]
    return sum(adapter.names.get(fact) in query["gold"] for fact in ids) / len(query["gold"])


def report(folder: Path, unrelated: list[str], pad: str) -> str:
    """The figures of one set with one padding."""
    queries = rows(folder / "queries.jsonl")
    related = [query for query in queries if query["gold"]]
    facts: dict[str, list[dict[str, Any]]] = {}
    for fact in rows(folder / "facts.jsonl"):
        facts.setdefault(fact["ns"], []).append(fact)
    with tempfile.TemporaryDirectory() as scratch:
        adapter = Adapter(scratch, False, padding(pad) if pad else [])
        for name, batch in facts.items():
            adapter.ingest(name, batch)
        counts = [len(adapter.facts(name, text, SHOWN, gate=True)) for name in facts for text in unrelated]
        plain, gated = [
            sum(found(adapter, query, gate=gate) for query in related) / len(related) for gate in (False, True)
        ]
        adapter.close()
    return (
        f"{folder.name:20} pad {pad or '0':34} R@3 {plain:.3f} gated {gated:.3f}  unrelated prompts {len(counts)}: "
        f"{sum(map(bool, counts)) / len(counts):.3f} injected, {sum(counts) / len(counts):.3f} facts each"
    )


def main() -> None:
    """Print one line for each set and padding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="devmem,currency")
    parser.add_argument("--pad", action="append", default=[""])
    args = parser.parse_args()
    unrelated = [
        query["query"]
        for path in sorted(args.data.glob("*/queries.jsonl"))
        for query in rows(path)
        if not query["gold"]
    ]
    for name in args.sets.split(","):
        for pad in args.pad:
            print(report(args.data / name, unrelated, pad), flush=True)


if __name__ == "__main__":
    main()
