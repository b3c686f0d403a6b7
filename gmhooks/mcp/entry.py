"""The command line of the lean server, as the launcher and `graymatter mcp serve` give it."""

from __future__ import annotations

import posix
import sys
from _signal import SIGINT, SIGTERM, signal  # type: ignore[import-not-found]

from gmhooks.mcp.stdio import serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.mcp.place import Place

REFUSED = 1


class Options:
    """Where to work: the per-user directory, a store other than the project's own, whether it may be made, and whether
    a project that is not prepared is served without tools.

    `--packages` names the folder of LMDB where it does not lie beside this package (an editable install)."""

    def __init__(self, words: list[str]) -> None:
        self.user_dir = ""
        self.data_dir = ""
        self.create = True
        self.prepared_only = False
        self.unknown: list[str] = []
        for word in words:
            name, equals, value = word.partition("=")
            if name == "--user-dir" and equals:
                self.user_dir = value
            elif name == "--packages" and equals:
                sys.path.append(value)
            elif name == "--dir" and equals:
                self.data_dir = value if value.startswith("/") else f"{posix.getcwd()}/{value}"
            elif word == "--no-create":
                self.create = False
            elif word == "--prepared-only":
                self.prepared_only, self.create = True, False
            else:
                self.unknown.append(word)

    def place(self) -> Place:
        """The place these options mean."""
        from gmhooks.mcp.place import Place

        if not self.user_dir:
            from os import environ

            from gmhooks.memory.places import user_dir

            self.user_dir = user_dir(environ)
        return Place(posix.environ, self.user_dir, data_dir=self.data_dir, create=self.create)


def main(argv: list[str]) -> int:
    """Serve on stdin and stdout until the client leaves; the exit status."""
    options = Options(argv[1:])
    for word in options.unknown:
        _complain(f"ignoring the unknown option {word[:80]!r}")
    problem = "" if options.create else _unprepared(options)
    if problem and not options.prepared_only:
        _complain(problem)
        return REFUSED
    for number in (SIGINT, SIGTERM):
        signal(number, _leave)
    serve(options.place, idle=bool(problem))
    return 0


def _unprepared(options: Options) -> str:
    """Why there is no project to serve; "" if there is one."""
    from gmhooks.hooks.route import RouteError, for_hook, prepared

    try:
        data_dir = options.data_dir or for_hook(posix.environ, "").data_dir
    except RouteError as error:
        return error.message
    return "" if prepared(data_dir) else f"{data_dir} is not prepared; run `graymatter init` in the project"


def _leave(number: int, frame: object) -> None:  # noqa: ARG001
    """End at once: what was answered is durable, and the client is gone."""
    posix._exit(0)


def _complain(text: str) -> None:
    sys.stderr.write(f"graymatter mcp serve: {text}\n")
