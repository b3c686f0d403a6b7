"""Report files for failures nobody expected: where in the program, never what the user typed or stored."""

from __future__ import annotations

import os
import sys
import time
import traceback

from gmhooks import __version__
from gmhooks.memory.places import NoHome, make_user_dir, user_dir

_KEPT = 20


def write_report(error: BaseException) -> str | None:
    """Write where `error` arose to a new file under the per-user directory; its path, or None if that failed."""
    try:
        folder = os.path.join(user_dir(os.environ), "reports")
        make_user_dir(os.path.dirname(folder))
        os.makedirs(folder, 0o700, exist_ok=True)
        path = os.path.join(folder, f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.txt")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join(_lines(error)) + "\n")
        _drop_old(folder)
    except (OSError, NoHome):
        return None
    return path


def _lines(error: BaseException) -> list[str]:
    lines = [f"gmhooks {__version__}, Python {sys.version.split()[0]}, {sys.platform}"]
    cause: BaseException | None = error
    while cause is not None:
        reason = f": [Errno {cause.errno}] {cause.strerror}" if isinstance(cause, OSError) else ""
        lines.append(f"{type(cause).__module__}.{type(cause).__qualname__}{reason}")
        lines += [f"  {at.filename}:{at.lineno} in {at.name}" for at in traceback.extract_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    return lines


def _drop_old(folder: str) -> None:
    for name in sorted(os.listdir(folder))[:-_KEPT]:
        os.unlink(os.path.join(folder, name))
