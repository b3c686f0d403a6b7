"""Looking into a store that nobody vouches for yet: on a private copy, never on the file itself."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from gmhooks.memory.copies import copy_store
from gmhooks.memory.views import FactView, view, waiting_view
from gmhooks.store.check import verify
from gmhooks.store.env import open_read
from gmhooks.store.facts import newest, short_id
from gmhooks.store.namespaces import listed
from gmhooks.store.spool import pending


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a store says and what is wrong with it; without problems its facts are complete."""

    store_id: str
    problems: tuple[str, ...]
    facts: tuple[FactView, ...]
    waiting: tuple[FactView, ...]


def inspect(data_dir: str) -> Inspection:
    """Verify a private copy of the store and read every live fact from it. StoreError when it cannot be opened."""
    with tempfile.TemporaryDirectory(prefix="gmhooks-inspect-") as folder:
        copy_store(data_dir, folder)
        problems = tuple(problem.removeprefix(f"{folder}/") for problem in verify(folder))
        if problems:
            return Inspection("", problems, (), ())
        store = open_read(folder)
        try:
            facts = tuple(
                view(fact, ns.agent_id, short_id(store, fact)) for ns in listed(store) for fact in newest(store, ns)
            )
            return Inspection(
                store.identity.store_id, (), facts, tuple(waiting_view(spooled) for spooled in pending(data_dir))
            )
        finally:
            store.close()
