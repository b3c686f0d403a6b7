"""Errors of the layers below, turned into what a person reads: what happened, where, what next."""

from __future__ import annotations

import errno

from gmhooks.cli.errors import Fault
from gmhooks.hooks.admit import Refused
from gmhooks.hooks.route import DIRECTORY, RouteError
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.memory.places import NoHome
from gmhooks.store.errors import StoreError

NEXT_STEPS = {
    "store_missing": "graymatter init",
    "untrusted": "graymatter trust",
    "schema_newer": "upgrade gmhooks",
    "busy": "try again; another process is writing",
    "disk_full": "free some space and try again",
    "permission": "check who owns the files",
    "not_a_directory": "move it away, then graymatter init",
    "store_damaged": "graymatter doctor --repair",
    "store_suspect": "graymatter doctor --repair",
    "read_only": "make the file system writable; until then recall works and saves fail",
}
_REWORD = {
    "empty_remember": "write the fact as one quoted text",
    "private_only": "leave something outside the <private> parts",
    "fact_too_long": "save its parts as several facts",
    "secret": "say where the secret is kept instead of the secret itself",
}
_TO_A_PROJECT = (
    "change to your project",
    f"change to your project, or name the {DIRECTORY[1:]} of a prepared one with --dir",
)
_IO = {
    errno.ENOSPC: NEXT_STEPS["disk_full"],
    errno.EDQUOT: NEXT_STEPS["disk_full"],
    errno.EACCES: NEXT_STEPS["permission"],
    errno.EPERM: NEXT_STEPS["permission"],
    errno.EROFS: "make the file system writable",
    errno.ENAMETOOLONG: "give a shorter name",
    **dict.fromkeys((errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENXIO), "move it away, then try again"),
    errno.ENOTDIR: "name another directory with HOME or --dir: this path leads through a file",
}


def as_fault(error: Exception) -> Fault | None:
    """The Fault that describes an expected error of a lower layer; None for anything unexpected."""
    if isinstance(error, StoreError):
        return Fault(error.code, str(error), then=NEXT_STEPS.get(error.code, ""))
    if isinstance(error, Refused):
        return Fault(error.code, f"not saved: {error}", then=_REWORD[error.code.partition(":")[0]])
    if isinstance(error, RouteError):
        return Fault(error.code, str(error), then=_TO_A_PROJECT[error.code == "not_a_project"])
    if isinstance(error, NotFound):
        return Fault("not_found", str(error), then="graymatter list --all shows every fact with its id")
    if isinstance(error, Ambiguous):
        return Fault("ambiguous", str(error), then="give more characters of it")
    if isinstance(error, NoHome):
        return Fault("no_home", str(error), then="set HOME to a directory of yours")
    if isinstance(error, OSError) and error.errno in _IO:
        return Fault("io_error", error.strerror or str(error), where=str(error.filename or ""), then=_IO[error.errno])
    return None
