"""Hot: what a runner is given, and the ways it may speak.

A runner is a module with `run(ctx: Context) -> bytes`: the complete answer, empty for silence. It closes
the store itself; whatever it raises becomes one receipt and silence. Receipts go to `ctx.note`, which the
edge appends to hooks.log after the answer was written.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.hooks.conf import Conf
    from gmhooks.hooks.route import Route
    from gmhooks.hooks.wire import Event


class Context:
    """One hook run.

    `environ` is `posix.environ` (bytes to bytes), `now_us` the wall clock in microseconds,
    `started` a `time.monotonic_ns()` value taken at entry, `notes` pairs of receipt code and detail. `last_words` makes the
    answer that a run which is out of time still gives, if there is anything the user must know. `known`: the id of the store
    that the user trusts here.
    """

    __slots__ = ("conf", "environ", "event", "known", "last_words", "notes", "now_us", "route", "started", "user_dir")

    def __init__(
        self,
        event: Event,
        route: Route,
        conf: Conf,
        user_dir: str,
        now_us: int,
        environ: dict[bytes, bytes],
        started: int,
        known: str | None = None,
    ) -> None:
        self.event = event
        self.route = route
        self.conf = conf
        self.user_dir = user_dir
        self.now_us = now_us
        self.environ = environ
        self.started = started
        self.known = known
        self.notes: list[tuple[str, str]] = []
        self.last_words: Callable[[], bytes] | None = None

    def note(self, code: str, detail: str = "") -> None:
        """Keep one receipt for hooks.log; `detail` never holds text of a prompt or a fact."""
        self.notes.append((code, detail))
