"""Where a server's calls work: the project at hand, its store opened anew for each call, one call at a time.

LMDB allows one open environment of a file in a process, so `gate` is held while one is open, and never while waiting for
another process: a write that finds the store busy lets other calls pass and tries again.
"""

from __future__ import annotations

from _thread import allocate_lock
from time import monotonic, sleep

from gmhooks.hooks.clock import now_us
from gmhooks.hooks.route import Route, for_hook, prepared
from gmhooks.memory.errors import NotFound
from gmhooks.store.errors import StoreBusy, StoreError, StoreMissing, StoreUntrusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from gmhooks.store.env import Store

    T = TypeVar("T")

PATIENCE_S = 2.0
_PAUSE_S = 0.01


class Place:
    """A project as its environment and working directory name it; `data_dir` moves the store, never the identity."""

    def __init__(self, environ: dict[bytes, bytes], user_dir: str, *, data_dir: str = "", create: bool = True) -> None:
        self.environ = environ
        self.user_dir = user_dir
        self.data_dir = data_dir
        self.create = create
        self.gate = allocate_lock()

    def route(self) -> Route:
        """The project right now. Raises RouteError."""
        route = for_hook(self.environ, "")
        if self.data_dir:
            route.data_dir = self.data_dir
        return route

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return now_us(self.environ)

    def read(self, work: Callable[[Store | None, str], T]) -> T:
        """`work` on the store (None: there is none yet) and its directory. Raises StoreError and RouteError."""
        data_dir = self.route().data_dir
        if not prepared(data_dir):
            return work(None, data_dir)
        from gmhooks.memory.access import reading_prepared

        with self.gate, reading_prepared(data_dir, self.user_dir, real=not self.data_dir) as store:
            return work(store, data_dir)

    def change(self, work: Callable[[Store], T], patience_s: float = PATIENCE_S) -> T:
        """What `work` returns, once it is durable. Raises StoreError, RouteError and what `work` raises."""
        from gmhooks.memory.access import changing

        data_dir = self._writable()
        end = monotonic() + patience_s
        while True:
            try:
                with self.gate:
                    return changing(data_dir, self.user_dir, work, patient=False)
            except StoreBusy:
                if monotonic() >= end:
                    raise
            sleep(_PAUSE_S)

    def correct(self, work: Callable[[Store], T]) -> T:
        """As `change`, for what concerns facts that are there: a project that is not prepared has none, and stays so."""
        if not prepared(self.route().data_dir):
            raise NotFound("nothing is stored in this project")
        return self.change(work)

    def put_aside(self, entry: tuple[str, str, int, int], audit: bytes, error: StoreError) -> bytes:
        """Keep a save that the store could not take, and its audit entry, durably, for the next writer; the fact's id.
        Raises `error` if that cannot help."""
        if isinstance(error, (StoreMissing, StoreUntrusted)):
            raise error
        from gmhooks.store.ids import new_id
        from gmhooks.store.spool import Spooled, put

        now = self.now_us()
        spooled = Spooled(new_id(now // 1000, b""), now, *entry, audit)
        try:
            put(self.route().data_dir, spooled)
        except OSError:
            raise error from None
        return spooled.id

    def _writable(self) -> str:
        data_dir = self.route().data_dir
        if not prepared(data_dir):
            if not self.create:
                raise StoreMissing(f"{data_dir}: this project is not prepared")
            from gmhooks.store.create import prepare

            with self.gate:
                prepare(data_dir, self.user_dir)
        return data_dir
