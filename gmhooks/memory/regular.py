"""Reading small files of a data directory, which a clone may have brought along: what is no regular file says nothing."""

from __future__ import annotations

import os
import stat


def content(path: str, most: int, *, from_end: bool = False, linked: bool = False) -> bytes:
    """The first bytes of a regular file, or the last ones, at most so many; b"" for anything else, which is never waited
    for, and for a file that may not be read. `linked`: a link to one is as good, as it is for the hooks."""
    follow = 0 if linked else os.O_NOFOLLOW
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | follow)
    except OSError:
        return b""
    try:
        held = os.fstat(descriptor)
        if not stat.S_ISREG(held.st_mode):
            return b""
        return os.pread(descriptor, most, max(0, held.st_size - most) if from_end else 0)
    finally:
        os.close(descriptor)
