"""Facts that a project left behind under another agent id, as when its directory was renamed."""

from __future__ import annotations

from shlex import quote

from gmhooks.hooks.route import DIRECTORY, Route
from gmhooks.memory.views import NamespaceCount, Overview
from gmhooks.store.namespaces import SHARED


def former_id(overview: Overview | None, agent_id: str) -> NamespaceCount | None:
    """The id that a project may have had: of a store with live facts of others and none of its own, the one with most."""
    held = [count for count in overview.namespaces if count.live and count.agent_id != SHARED] if overview else []
    if not held or any(count.agent_id == agent_id for count in held):
        return None
    return max(held, key=lambda count: count.live)


def adopting(route: Route, former: NamespaceCount) -> str:
    """The command that gives these facts to the project; it names the store where that is not the project's own."""
    own = route.root.rstrip("/") + DIRECTORY
    option = "" if route.data_dir == own else f" --dir {quote(route.data_dir)}"
    return f"graymatter adopt {quote(former.agent_id)}{option}"
