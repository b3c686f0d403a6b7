"""A tool call by name: arguments in, an answer out, whatever happens. No protocol, no SDK."""

from __future__ import annotations

from gmhooks.hooks.admit import Refused
from gmhooks.hooks.route import RouteError
from gmhooks.hooks.trail import place as place_of
from gmhooks.mcp.answers import Answer
from gmhooks.mcp.checkpoints import resume, save
from gmhooks.mcp.reflect import reflect
from gmhooks.mcp.search import search, search_batch
from gmhooks.mcp.tools import ADD, ALIAS, BATCH, REFLECT, RESUME, SAVE, SEARCH
from gmhooks.mcp.validate import Invalid, options
from gmhooks.mcp.write import add, alias
from gmhooks.memory.errors import AliasMeant, Ambiguous, NotFound
from gmhooks.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gmhooks.mcp.place import Place

_HANDLERS: dict[str, Callable[[Place, dict[str, Any]], Answer]] = {
    SEARCH: search,
    BATCH: search_batch,
    ADD: add,
    ALIAS: alias,
    SAVE: save,
    RESUME: resume,
    REFLECT: reflect,
}
_KINDS = {SEARCH: "recall", BATCH: "recall", RESUME: "checkpoint", SAVE: "checkpoint"}
_NEXT = {
    "untrusted": "ask the user to run `graymatter trust` in the project",
    "store_missing": "ask the user to run `graymatter init` in the project",
    "busy": "another process is writing; try again",
    "schema_newer": "ask the user to upgrade gmhooks and restart the client",
    "disk_full": "ask the user to free some space",
    "store_damaged": "ask the user to run `graymatter doctor --repair`",
    "store_suspect": "ask the user to run `graymatter doctor --repair`",
}


def call(place: Place, name: str, arguments: dict[str, Any]) -> Answer:
    """The answer of one of the seven tools; every failure is an answer with `error` set. KeyError for another name."""
    handler = _HANDLERS[name]
    kind = _KINDS.get(name, "remember")
    try:
        options(name, arguments)
        return handler(place, arguments)
    except Invalid as error:
        return Answer(str(error), error=True)
    except Refused as error:
        return Answer(f"{kind} error: not stored: {error}", error=True)
    except NotFound as error:
        return Answer(f"target fact not found: {error}", error=True)
    except Ambiguous as error:
        return Answer(f"target is ambiguous: {error}", error=True)
    except AliasMeant as error:
        return Answer(f"target is an alias: {error}", error=True)
    except StoreError as error:
        then = _NEXT.get(error.code)
        told = "`graymatter" in str(error)
        return Answer(f"{kind} error: {error}" + (f"; {then}" if then and not told else ""), error=True)
    except RouteError as error:
        return Answer(f"{kind} error: {error.message}", error=True)
    except Exception as error:  # noqa: BLE001 - the edge of a call: one bad call must not end the server
        return Answer(f"{kind} error: something went wrong inside gmhooks ({place_of(error)})", error=True)
