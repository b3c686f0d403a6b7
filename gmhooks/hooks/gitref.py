"""Hot: branch and commit of a checkout, read from git's files; no git process."""

from __future__ import annotations

from posix import O_CLOEXEC, O_NONBLOCK, O_RDONLY, close, fstat, read
from posix import open as posix_open

_MOST = 4 << 20


def standing(root: str) -> tuple[str, str]:
    """(branch, commit) of the checkout at `root`; the branch is empty when detached, both when it is none."""
    folder = root + "/.git"
    link = _read(folder)
    if link.startswith("gitdir: "):
        folder = _beside(root, link[8:].strip())
    head = _read(folder + "/HEAD").strip()
    if not head.startswith("ref: "):
        return "", head if _is_commit(head) else ""
    ref = head[5:].strip()
    if ".." in ref or not ref.startswith("refs/"):
        return "", ""
    shared = _read(folder + "/commondir").strip()
    common = _beside(folder, shared) if shared else folder
    commit = _read(folder + "/" + ref).strip() or _read(common + "/" + ref).strip() or _packed(common, ref)
    return ref.removeprefix("refs/heads/"), commit if _is_commit(commit) else ""


def _packed(common: str, ref: str) -> str:
    for line in _read(common + "/packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref:
            return commit
    return ""


def _beside(folder: str, path: str) -> str:
    return path if path.startswith("/") else folder + "/" + path


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _read(path: str) -> str:
    """Text of a regular file of at most 4 MiB; "" for anything else."""
    try:
        fd = posix_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if fstat(fd).st_mode & 0o170000 != 0o100000:
            return ""
        return read(fd, _MOST).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        close(fd)
