"""The only writer of standard output: plain lines for people and pipes, or exactly one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping

from gmhooks.cli.errors import complain

_NO_LINE = dict.fromkeys((*range(32), 127, *range(128, 160), 8232, 8233), " ")
_NO_CHARACTER = dict.fromkeys((1564, 8203, 8206, 8207, *range(8234, 8239), *range(8288, 8304), 65279))
_NO_SURROGATE = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
_UNSAFE = _NO_LINE | _NO_CHARACTER | _NO_SURROGATE


def shown(text: str) -> str:
    """Text of a fact, an agent id or a path as one line that can neither steer a terminal nor reorder it."""
    return " ".join(text.translate(_UNSAFE).split())


def harmless(line: str) -> str:
    """A line of a file with its tabs and blanks; what could steer a terminal or reorder text is taken out. A carriage return
    that ends it stays."""
    body = line.removesuffix("\r")
    return "\t".join(part.translate(_UNSAFE) for part in body.split("\t")) + line[len(body) :]


def counted(number: int, thing: str) -> str:
    """`1 fact`, `2 facts`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


class Out:
    """What a verb answers with; `--json` and `--quiet` are decided here, not in the verbs."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet

    def line(self, text: str) -> None:
        """Write one line of data; stored text must have passed through `shown`."""
        self._write(f"{text}\n")

    def answer(self, payload: Mapping[str, object], lines: Iterable[str]) -> None:
        """Write the one answer of a verb: the payload under `--json`, else the lines."""
        if self.as_json:
            self._write(json.dumps(payload) + "\n")
            return
        for text in lines:
            self.line(text)

    def confirm(self, payload: Mapping[str, object], lines: Iterable[str]) -> None:
        """Like answer, for a verb whose lines only confirm what it did: `--quiet` drops them."""
        if self.as_json or not self.quiet:
            self.answer(payload, lines)

    def exact(self, data: bytes) -> None:
        """Write bytes as they are: no line end is added, nothing is made safe."""
        if sys.stdout is not None:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)

    def note(self, text: str) -> None:
        """Tell the person something beside the data, on standard error; `--quiet` drops it."""
        if not self.quiet:
            complain(shown(text))

    def flush(self) -> None:
        """Push everything out, so that a failure to write shows up while it can still be reported."""
        if sys.stdout is not None:
            sys.stdout.flush()

    @staticmethod
    def _write(text: str) -> None:
        if sys.stdout is not None:
            sys.stdout.write(text)
