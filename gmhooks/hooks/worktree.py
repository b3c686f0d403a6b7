"""Hot: which main checkout a folder stands for, read from git's own files; no git process, nothing created."""

from __future__ import annotations

import posix
import sys

from gmhooks.hooks.conf import read
from gmhooks.hooks.route import DIRECTORY, FILE, directory, kind, nearest, prepared, upwards


def top(folder: str) -> str:
    """The top of the git checkout that a folder lies in, or nothing."""
    for step in upwards(folder):
        if kind(step + "/.git"):
            return step
    return ""


def main_checkout(root: str) -> str:
    """The folder that stands for `root` in the main checkout of its git worktree, unless worktrees are isolated: the
    same one, or the nearest prepared one above it."""
    tree = top(root)
    main = _linked(tree) if tree and kind(tree + "/.git") == FILE else ""
    if main:
        below = root[len(tree) :]
    else:
        main, marked, below = root.rpartition("/.claude/worktrees/")
        if not marked:
            return ""
        below = below.partition("/")[2]
        below = below and "/" + below
    if read(main + DIRECTORY).worktree == "isolated":
        return ""
    return nearest(main + below, main) if below else main


def entered(root: str, cwd: str) -> str:
    """The linked worktree of the root's own repository that `cwd` lies in, if it was prepared for itself."""
    for step in upwards(cwd):
        if step == root:
            break
        if kind(step + "/.git") == FILE:
            main = prepared(step + DIRECTORY) and _linked(step)
            if main and (root == main or root.startswith(main + "/") or _linked(root) == main):
                return directory(step)
            break
    return ""


def _linked(tree: str) -> str:
    """The main checkout of the linked worktree at `tree`; nothing unless both sides name each other.

    A `.git` file alone proves nothing: an unpacked archive could point it at another project of the user. Nor does a
    pair of files that both came with it, so that the other side must lie where git keeps it, in the main checkout's `.git`.
    """
    named = _line(tree + "/.git")
    if not named.startswith("gitdir:"):
        return ""
    private = _joined(tree, named[7:].strip(" "))
    common, back = _line(private + "/commondir"), _line(private + "/gitdir")
    if not common or not back:
        return ""
    try:
        here, there = posix.stat(tree + "/.git"), posix.stat(_joined(private, back))
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
