"""The secret that opens the HTTP server: 256 random bits in a file of the data directory, or what the environment says."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

VARIABLE = "GRAYMATTER_HTTP_TOKEN"
FILE = "http-token"
_BITS = 256


def token_path(data_dir: str) -> str:
    """Where the token of a store lies."""
    return os.path.join(data_dir, FILE)


def obtain(data_dir: str, environ: Mapping[str, str], given: str | None = None) -> str:
    """The token: from the command line, else the environment, which are never stored, else the file, made if need be.

    "" when one was configured empty: it opens nothing. OSError when the file cannot be used."""
    if given is not None:
        return given
    if VARIABLE in environ:
        return environ[VARIABLE]
    path = token_path(data_dir)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _make(path)
    with open(fd, encoding="ascii", errors="replace") as file:
        os.fchmod(fd, 0o600)
        return file.read().strip() or _make(path)


def matches(header: str | None, token: str) -> bool:
    """Whether an Authorization header carries the token, compared in constant time."""
    scheme, _, offered = (header or "").partition(" ")
    same = secrets.compare_digest(offered.strip().encode("utf-8", "replace"), token.encode("utf-8", "replace"))
    return same and bool(token) and scheme.lower() == "bearer"


def _make(path: str) -> str:
    token = secrets.token_hex(_BITS // 8)
    draft = f"{path}.{secrets.token_hex(4)}.new"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(token + "\n")
    os.replace(draft, path)
    return token
