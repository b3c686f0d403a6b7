"""The secret that opens the HTTP server: what the command line or the environment says, else 256 random bits in a file.

The file lies in the per-user directory, one for each data directory: one that came with a repository would be known to
whoever made that.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from hashlib import sha256

from gmhooks.memory.places import make_user_dir

VARIABLE = "GRAYMATTER_HTTP_TOKEN"
FOLDER = "http-tokens"
_BITS = 256
_LONGEST = 4096


def token_path(user_dir: str, data_dir: str) -> str:
    """Where the token of a data directory lies."""
    name = sha256(os.fsencode(os.path.realpath(data_dir))).hexdigest()[:32]
    return os.path.join(user_dir, FOLDER, name)


def obtain(user_dir: str, data_dir: str, environ: Mapping[str, str], given: str | None = None) -> str:
    """The token: from the command line, else the environment, which are never stored, else the file, made if need be.

    "" when one was configured empty: it opens nothing. A file that others could read or write is made anew. OSError when
    the file cannot be used."""
    if given is not None:
        return given
    if VARIABLE in environ:
        return environ[VARIABLE]
    path = token_path(user_dir, data_dir)
    return _kept(path) or _make(user_dir, path)


def matches(header: str | None, token: str) -> bool:
    """Whether an Authorization header carries the token, compared in constant time."""
    scheme, _, offered = (header or "").partition(" ")
    same = secrets.compare_digest(offered.strip().encode("utf-8", "replace"), token.encode("utf-8", "replace"))
    return same and bool(token) and scheme.lower() == "bearer"


def _kept(path: str) -> str:
    """The token that the file holds; "" if there is none that only this user could have known."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    with open(fd, encoding="ascii", errors="replace") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError(1, "it is not a file of yours; remove it", path)
        if status.st_nlink != 1 or status.st_mode & 0o077:
            return ""
        return file.read(_LONGEST).strip()


def _make(user_dir: str, path: str) -> str:
    make_user_dir(user_dir)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    token = secrets.token_hex(_BITS // 8)
    draft = f"{path}.{secrets.token_hex(4)}.new"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(token + "\n")
    os.replace(draft, path)
    return token
