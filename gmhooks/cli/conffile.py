"""Writing `hooks.conf`, the one settings file a hook reads: one key at a time, every other line as it is."""

from __future__ import annotations

import os

from gmhooks.cli.errors import WRITABLE, Fault
from gmhooks.init.own import write_own

FILE = "hooks.conf"
POLICIES = ("native", "lexical")
_MOST_BYTES = 1 << 16


def set_key(data_dir: str, key: str, value: str | None, *, dry_run: bool = False) -> bool:
    """Let `key` have `value`, or its default for None; whether the file changes. Fault when it cannot be read or written."""
    path = os.path.join(data_dir, FILE)
    before = _content(path)
    kept = [line for line in before.splitlines() if line.partition("=")[0].strip() != key]
    after = "".join(f"{line}\n" for line in [*kept, *([] if value is None else [f"{key}={value}"])])
    if after != before and not dry_run:
        publish(path, after)
    return after != before


def publish(path: str, text: str) -> None:
    """Replace the file's text. Fault when it cannot be written."""
    try:
        write_own(path, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise Fault("io_error", f"the settings cannot be written ({error.strerror})", where=path, then=WRITABLE) from None


def _content(path: str) -> str:
    if os.path.lexists(path) and not os.path.isfile(path):
        raise Fault("io_error", "the settings are no regular file", where=path, then="move it away, then try again")
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read(_MOST_BYTES)
    except FileNotFoundError:
        return ""
    except OSError as error:
        then = "make sure that you may read it"
        raise Fault("io_error", f"the settings cannot be read ({error.strerror})", where=path, then=then) from None
