"""The clients that can be wired, found among the modules of `clients`, and choosing some of them by name."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from gmhooks.init import clients
from gmhooks.init.clients.client import Client


@cache
def catalogue() -> tuple[Client, ...]:
    """Every client, in the order in which people are asked."""
    names = [found.name for found in iter_modules(clients.__path__) if found.name != "client"]
    every: list[Client] = [import_module(f"{clients.__name__}.{name}").CLIENT for name in names]
    return tuple(sorted(every, key=lambda client: client.order))


def chosen(only: str | None, skipped: Collection[str], *, antigravity: bool) -> list[Client]:
    """The clients that options name: those of `only` (ids and commas, any case; empty: no restriction), else all but the
    skipped and, unless asked for, those that are opt-in. ValueError for an unknown id."""
    wanted = {word.strip().lower() for word in (only or "").split(",")} - {""}
    known = [client.id for client in catalogue()]
    unknown = sorted(wanted - set(known))
    if unknown:
        raise ValueError(f"there is no client {', '.join(unknown)}; valid ids are {', '.join(known)}")
    if wanted:
        return [client for client in catalogue() if client.id in wanted]
    return [each for each in catalogue() if each.id not in skipped and (antigravity or not each.opt_in)]


def picked(line: str) -> list[Client] | None:
    """The clients that an answer names by number (commas or blanks between, 0 or nothing: none); None if it names others."""
    words = line.replace(",", " ").split()
    if words in ([], ["0"]):
        return []
    every = catalogue()
    numbers = {int(word) if word.isascii() and word.isdecimal() else 0 for word in words}
    if not numbers <= set(range(1, len(every) + 1)):
        return None
    return [client for number, client in enumerate(every, 1) if number in numbers]
