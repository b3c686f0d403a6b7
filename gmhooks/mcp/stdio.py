"""The lean stdio server: one reader, up to five workers, no event loop. It loads only what its next answer needs.

Descriptor 1 belongs to the protocol alone: it is moved away at the start, so that whatever prints lands on stderr.
"""

from __future__ import annotations

import posix
from _thread import allocate_lock, start_new_thread

from gmhooks.mcp.frames import MOST_BYTES, id_of_oversized
from gmhooks.mcp.protocol import INTERNAL, INVALID_REQUEST, Call, Problem, answered, failed, receive, unknown_tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gmhooks.mcp.place import Place

WORKERS = 5
FAREWELL_S = 5.0
_CHUNK = 1 << 16
_EDGE = 4096
_UNHEARD = 1


class Wire:
    """Frames in, frames out, over descriptors that nothing else in this process knows."""

    def __init__(self) -> None:
        from fcntl import F_DUPFD_CLOEXEC, fcntl

        self.source, self.sink = fcntl(0, F_DUPFD_CLOEXEC, 3), fcntl(1, F_DUPFD_CLOEXEC, 3)
        for each in (self.source, self.sink):
            # A client that works without blocking may have left its descriptors so.
            posix.set_blocking(each, True)
        null = posix.open("/dev/null", posix.O_RDONLY)
        posix.dup2(null, 0)
        posix.close(null)
        posix.dup2(2, 1)
        self._writing = allocate_lock()

    def frames(self) -> Iterator[bytes | tuple[bytes, bytes]]:
        """Each line that is not blank, until the input ends; of one that is too long only both ends."""
        pending = bytearray()
        head = b""
        while True:
            chunk = self._read()
            for at, piece in enumerate((chunk or b"\n").split(b"\n")):
                if at:
                    if head:
                        yield head, bytes(pending[-_EDGE:])
                    elif pending.strip():
                        yield bytes(pending)
                    head = b""
                    pending.clear()
                pending += piece
                if len(pending) > MOST_BYTES:
                    head = head or bytes(pending[:_EDGE])
                    del pending[:-_EDGE]
            if not chunk:
                return

    def _read(self) -> bytes:
        """The next bytes; none when the client is gone, however it went."""
        try:
            return posix.read(self.source, _CHUNK)
        except OSError:
            return b""

    def send(self, frame: bytes) -> None:
        """Write one whole frame; when nobody reads any more, or nothing can be written, the process ends."""
        view = memoryview(frame)
        with self._writing:
            try:
                while view:
                    view = view[posix.write(self.sink, view) :]
            except (BrokenPipeError, ConnectionResetError):
                posix._exit(0)
            except OSError as error:
                posix.write(2, f"graymatter mcp serve: cannot answer ({error.strerror})\n".encode())
                posix._exit(_UNHEARD)


class Workers:
    """Up to five threads that carry out calls; each answer leaves when its call is done."""

    def __init__(self, wire: Wire, make_place: Callable[[], Place]) -> None:
        from _queue import SimpleQueue

        self._wire = wire
        self._place = make_place()
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._counting = allocate_lock()
        self._open = 0
        self._started = 0

    def submit(self, call: Call) -> None:
        """Have the call carried out soon."""
        with self._counting:
            self._open += 1
            more = self._open > self._started and self._started < WORKERS
            self._started += more
        self._calls.put(call)
        if more:
            start_new_thread(self._work, ())

    def finish(self) -> None:
        """Wait until every call submitted has been answered, 5 s at most."""
        from _queue import Empty
        from time import monotonic

        end = monotonic() + FAREWELL_S
        for _ in range(self._started):
            self._calls.put(None)
        try:
            for _ in range(self._started):
                self._ended.get(timeout=max(end - monotonic(), 0))
        except Empty:
            return

    def _work(self) -> None:
        while True:
            call = self._calls.get()
            if call is None:
                self._ended.put(None)
                return
            self._wire.send(_answer(self._place, call))
            with self._counting:
                self._open -= 1


def _answer(place: Place, call: Call) -> bytes:
    from gmhooks.mcp.perform import UnknownTool, perform

    try:
        return answered(call, perform(place, call.name, call.arguments).result())
    except UnknownTool:
        return unknown_tool(call)
    except Exception as error:  # noqa: BLE001 - the edge of a request: it must be answered, and the server go on
        return failed(call.id, Problem(INTERNAL, f"Internal error ({type(error).__name__})"))


def serve(make_place: Callable[[], Place], *, idle: bool = False) -> None:
    """Answer requests until the input ends. `make_place` is called at the first tool call; `idle`: show no tools."""
    wire = Wire()
    workers: Workers | None = None
    for frame in wire.frames():
        if isinstance(frame, tuple):
            too_long = Problem(INVALID_REQUEST, f"Invalid request: a frame holds at most {MOST_BYTES} bytes")
            wire.send(failed(id_of_oversized(*frame), too_long))
            continue
        found = receive(frame, idle=idle)
        if isinstance(found, Call):
            workers = workers or Workers(wire, make_place)
            workers.submit(found)
        elif found is not None:
            wire.send(found)
    if workers is not None:
        workers.finish()
