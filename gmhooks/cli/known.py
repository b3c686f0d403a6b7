"""Errors of the layers below, turned into what a person reads: what happened, where, what next."""

from __future__ import annotations

import errno

from gmhooks.cli.errors import Fault
from gmhooks.hooks.admit import Refused
from gmhooks.hooks.route import RouteError
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.store.errors import StoreError

NEXT_STEPS = {
    "store_missing": "graymatter init",
    "untrusted": "graymatter trust",
    "schema_newer": "upgrade gmhooks",
    "busy": "try again; another process is writing",
    "disk_full": "free some space and try again",
    "permission": "check who owns the files",
    "store_damaged": "graymatter repair",
    "read_only": "make the file system writable; until then recall works and saves fail",
}
_SURROUNDINGS = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


def as_fault(error: Exception) -> Fault | None:
    """The Fault that describes an expected error of a lower layer; None for anything unexpected."""
    if isinstance(error, StoreError):
        return Fault(error.code, str(error), then=NEXT_STEPS.get(error.code, ""))
    if isinstance(error, Refused):
        return Fault(error.code, f"not saved: {error}")
    if isinstance(error, RouteError):
        return Fault(error.code, str(error), then="name a directory with --dir, or change to your project")
    if isinstance(error, NotFound):
        return Fault("not_found", str(error), then="graymatter list shows every fact with its id")
    if isinstance(error, Ambiguous):
        return Fault("ambiguous", str(error), then="give more characters of the id")
    if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
        return Fault("io_error", error.strerror or str(error), where=str(error.filename or ""))
    return None
