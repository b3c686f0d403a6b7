"""The hidden tool behind fast mode: a prompt hook without a process. The same code answers, so the bytes are the same."""

from __future__ import annotations

import posix

from gmhooks.hooks.main import Run, by_a_person
from gmhooks.hooks.route import RouteError
from gmhooks.hooks.trail import place as place_of
from gmhooks.hooks.wire import Event, WireError
from gmhooks.mcp.answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.place import Place

EVENT = "user-prompt"
FIELDS = ("prompt", "session_id", "prompt_id", "cwd", "transcript_path")
"""What the client passes on from its payload; absent fields arrive as empty strings."""


def answer(place: Place, given: dict[str, Any]) -> Answer:
    """What the prompt hook would print; like it, silent whatever goes wrong, with a receipt in hooks.log."""
    if posix.environ.get(b"GRAYMATTER_DISABLE") == b"1":
        return Answer("")
    event = Event({**given, "hook_event_name": EVENT})
    if not by_a_person(event.prompt):
        return Answer("")
    run = Run(EVENT)
    said = b""
    with place.gate:
        try:
            said = run.respond(event, EVENT, place.user_dir)
        except (WireError, RouteError) as error:
            run.notes.append((error.code, ""))
        except Exception as error:  # noqa: BLE001 - the edge of a hook: a receipt instead of a notice to the user
            run.notes.append(("unexpected", place_of(error)))
    try:
        run.leave_receipts()
    except (OSError, RouteError):
        # No project, or no room for a line: there is nowhere else to tell it.
        return Answer(said.decode())
    return Answer(said.decode())
