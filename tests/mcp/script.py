"""One conversation that shows every payload of every tool, and its answers with what differs from run to run named."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.mcp.desk import AGENT

FACT = "Deploys go through port 8443"
VPN = "The staging VPN is called tortoise"
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "search without memories": ("memory_search", {"query": "port"}),
    "resume without a checkpoint": ("checkpoint_resume", {}),
    "resume without a checkpoint, empty": ("checkpoint_resume", {"on_missing": "empty"}),
    "add": ("memory_add", {"text": FACT}),
    "add again": ("memory_add", {"text": FACT + "."}),
    "add with a label": ("memory_add", {"text": VPN, "confidence": "verified"}),
    "add without a text": ("memory_add", {}),
    "add a secret": ("memory_add", {"text": "key AKIAIOSFODNN7EXAMPLE"}),
    "add with a wrong label": ("memory_add", {"text": "a", "confidence": "sure"}),
    "search": ("memory_search", {"query": "which port do deploys use?"}),
    "search, weak": ("memory_search", {"query": "tortoise quibble zigzag"}),
    "search, explained": ("memory_search", {"query": "deploys port", "explain": True}),
    "search with options": (
        "memory_search",
        {"query": "staging VPN", "explain": True, "min_confidence": "inferred", "confidence_weight": 0.25},
    ),
    "search with a wrong option": ("memory_search", {"query": "a", "min_confidence": "high"}),
    "batch": ("memory_search_batch", {"queries": ["staging VPN", "deploy port", " "], "top_k": 1}),
    "batch with options": ("memory_search_batch", {"queries": ["VPN"], "min_confidence": "verified"}),
    "alias": ("memory_alias", {"term": "tunnel", "equivalents": ["VPN", "wireguard"]}),
    "alias without words": ("memory_alias", {"term": "tunnel", "equivalents": []}),
    "save": ("checkpoint_save", {"state": '{"goal": "ship", "todos": ["docs"], "share": 0.50}'}),
    "save what is no JSON": ("checkpoint_save", {"state": "{not json"}),
    "resume": ("checkpoint_resume", {}),
    "resume with a wrong option": ("checkpoint_resume", {"on_missing": "maybe"}),
    "reflect add": ("memory_reflect", {"action": "add", "text": "Ada owns billing", "confidence": "inferred"}),
    "reflect update": ("memory_reflect", {"action": "update", "target": FACT, "text": "Deploys go through port 9443"}),
    "reflect pin": ("memory_reflect", {"action": "pin", "target": VPN}),
    "reflect unpin": ("memory_reflect", {"action": "unpin", "text": VPN}),
    "reflect link": ("memory_reflect", {"action": "link", "text": "Ada", "target": "Billing"}),
    "reflect forget": ("memory_reflect", {"action": "forget", "target": "Ada owns billing"}),
    "reflect what is not there": ("memory_reflect", {"action": "forget", "target": "billing"}),
    "reflect with an unknown action": ("memory_reflect", {"action": "purge"}),
    "search, superseding": ("memory_search", {"query": "deploys port", "explain": True}),
}


def arguments(name: str) -> dict[str, Any]:
    """The arguments of a call of the script."""
    return {"agent_id": AGENT, **CALLS[name][1]}


def settled(results: dict[str, Any]) -> dict[str, Any]:
    """The results with each id replaced by a number in order of appearance."""
    seen: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return seen.setdefault(found.group(), f"<id {len(seen) + 1}>")

    done: dict[str, Any] = json.loads(_ID.sub(named, json.dumps(results)))
    return done
