"""Let two names change their files in one step, where the system can: nobody's write falls between a look and a rename."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(one: str, other: str) -> bool:
    """Swap the files of two names; False if system or file system cannot. Raises `OSError` for every other failure."""
    names = (os.fsencode(one), os.fsencode(other))
    system = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            failed = system.renamex_np(*names, _RENAME_SWAP)
        else:
            failed = system.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    except AttributeError:
        return False
    if failed:
        code = ctypes.get_errno()
        if code in _UNKNOWN:
            return False
        raise OSError(code, os.strerror(code), one)
    return True
