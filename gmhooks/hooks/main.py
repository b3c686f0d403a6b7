"""Hot: one hook run, from stdin to the answer; the edge where everything that goes wrong ends in silence."""

from __future__ import annotations

import posix
from time import monotonic_ns

from gmhooks.hooks.clock import now_us
from gmhooks.hooks.conf import paused
from gmhooks.hooks.conf import read as read_conf
from gmhooks.hooks.context import Context
from gmhooks.hooks.route import RouteError, for_hook, prepared
from gmhooks.hooks.watch import start as watch
from gmhooks.hooks.wire import NAMES, Event, WireError, receive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 9_500
_MACHINE = ("<task-notification", "<scheduled-task", "<cross-session-message", "<teammate-message")


def runner(name: str) -> Callable[[Context], bytes]:
    """`run` of the module that serves this event, imported only now."""
    if name == "user-prompt":
        from gmhooks.hooks.prompt import run
    elif name == "session-start":
        from gmhooks.hooks.start import run
    elif name == "pre-compact":
        from gmhooks.hooks.compact import run
    else:
        from gmhooks.hooks.end import run
    return run
