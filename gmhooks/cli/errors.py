"""Exit codes, the errors a verb may raise, and the only writer of standard error."""

from __future__ import annotations

import sys

DONE = 0
REFUSED = 1
USAGE = 2
UNEXPECTED = 3
INTERRUPTED = 130

WRITABLE = "make sure that you may write there, then run the command again"


class Fault(Exception):
    """An expected failure: what happened, where, and what to do next."""

    exit_code = REFUSED

    def __init__(self, code: str, what: str, *, where: str = "", then: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where
        self.then = then
        self.details: dict[str, object] = {}

    def line(self) -> str:
        """The message as one line for people; its commands work as printed."""
        from gmhooks.cli.program import runnable

        where = f" ({self.where})" if self.where else ""
        then = f" Next: {runnable(self.then)}" if self.then else ""
        stop = "" if not then or (self.what.endswith((".", "!", "?")) and not where) else "."
        return f"{self.what}{where}{stop}{then}"

    def as_object(self) -> dict[str, object]:
        """The message as the one JSON object of `--json`."""
        body = {"code": self.code, "message": self.what, "where": self.where, "next": self.then}
        return {**self.details, "status": "failed", "error": {key: value for key, value in body.items() if value}}


class UsageFault(Fault):
    """The command line, or a settings file of ours, is malformed."""

    exit_code = USAGE

    def __init__(self, what: str, *, where: str = "", then: str = "", code: str = "usage") -> None:
        super().__init__(code, what, where=where, then=then)


def complain(text: str) -> None:
    """Write one line to standard error; a closed standard error is not worth failing for."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        return
