"""The names that programs import from `gmhooks` itself, and where each one lives."""

from __future__ import annotations

from importlib import import_module

HOMES = {
    "Ambiguous": "gmhooks.memory.errors",
    "Batch": "gmhooks.memory.views",
    "FactView": "gmhooks.memory.views",
    "Malformed": "gmhooks.memory.transfer",
    "Memory": "gmhooks.memory.api",
    "NotFound": "gmhooks.memory.errors",
    "RecallOptions": "gmhooks.memory.options",
    "Recalled": "gmhooks.memory.views",
    "Refused": "gmhooks.hooks.admit",
    "Remembered": "gmhooks.memory.views",
    "RouteError": "gmhooks.hooks.route",
    "StoreError": "gmhooks.store.errors",
    "WriteOptions": "gmhooks.memory.options",
}


def find(name: str) -> object:
    """The object of that name; AttributeError for any other."""
    if name not in HOMES:
        raise AttributeError(f"module 'gmhooks' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
