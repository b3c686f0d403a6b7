"""Hot: which main checkout a folder stands for, read from git's own files; no git process, nothing created."""

from __future__ import annotations

import posix
import sys

from gmhooks.hooks.conf import read
from gmhooks.hooks.route import DIRECTORY, FILE, directory, kind, prepared, upwards


def main_checkout(root: str) -> str:
    """The folder that stands for `root` in the main checkout of its git worktree, unless worktrees are isolated."""
    main = ""
    for top in upwards(root):
        found = kind(top + "/.git")
        if found:
            main = _linked(top) if found == FILE else ""
            break
    if main:
        below = root[len(top) :]
    else:
        main, marked, below = root.rpartition("/.claude/worktrees/")
        if not marked:
            return ""
        below = below.partition("/")[2]
        below = below and "/" + below
    if read(main + DIRECTORY).worktree == "isolated" or (below and not prepared(main + below + DIRECTORY)):
        return ""
    return main + below


def entered(root: str, cwd: str) -> str:
    """The linked worktree of the root's own repository that `cwd` lies in, if it was prepared for itself."""
    for top in upwards(cwd):
        if top == root:
            break
        if kind(top + "/.git") == FILE:
            main = prepared(top + DIRECTORY) and _linked(top)
            if main and (root == main or root.startswith(main + "/") or _linked(root) == main):
                return directory(top)
            break
    return ""


def _linked(top: str) -> str:
    """The main checkout of the linked worktree at `top`; nothing unless both sides name each other.

    A `.git` file alone proves nothing: an unpacked archive could point it at another project of the user. Nor does a
    pair of files that both came with it, so that the other side must lie where git keeps it, in the main checkout's `.git`.
    """
    named = _line(top + "/.git")
    if not named.startswith("gitdir:"):
        return ""
    private = _joined(top, named[7:].strip(" "))
    common, back = _line(private + "/commondir"), _line(private + "/gitdir")
    if not common or not back:
        return ""
    try:
        here, there = posix.stat(top + "/.git"), posix.stat(_joined(private, back))
    except (OSError, ValueError):
        return ""
    shared = directory(_joined(private, common))
    if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino) or not shared.endswith("/.git"):
        return ""
    if directory(private).rpartition("/")[0] != shared + "/worktrees":
        return ""
    return shared[:-5]


def _joined(base: str, path: str) -> str:
    return path if path[:1] == "/" else f"{base}/{path}"


def _line(path: str) -> str:
    """The text of a small file without its last line end; nothing if it cannot be read."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        raw = posix.read(fd, 8192)
    except OSError:
        return ""
    finally:
        posix.close(fd)
    return raw.decode(sys.getfilesystemencoding(), "surrogateescape").rstrip("\r\n")
