"""Hot: the user's registry of stores that may speak in a session. A cloned repository can ship a store; it is not ours.

One file a store under `<user dir>/trust`, named by a hash of its real path, holding the store's id and the path.
"""

from __future__ import annotations

from _imp import source_hash
from posix import (  # fmt: skip
    O_CLOEXEC,
    O_CREAT,
    O_NOFOLLOW,
    O_RDONLY,
    O_TRUNC,
    O_WRONLY,
    close,
    fsync,
    getpid,
    mkdir,
    read,
    readlink,
    rename,
    unlink,
    write,
)
from posix import open as posix_open

from gmhooks.store.layout import decode_text, encode_text

FOLDER = "trust"
_MOST_LINKS = 40


def real_path(path: str) -> str:
    """An absolute path with every symbolic link resolved. OSError (ELOOP) when links do not end."""
    todo = path.split("/")[::-1]
    done: list[str] = []
    links = 0
    while todo:
        part = todo.pop()
        if part in ("", "."):
            continue
        if part == "..":
            del done[-1:]
            continue
        here = "/".join(["", *done, part])
        try:
            target = readlink(here)
        except OSError:
            done.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(40, "too many symbolic links", path)
        if target.startswith("/"):
            done.clear()
        todo.extend(target.split("/")[::-1])
    return "/" + "/".join(done)


def registered(user_dir: str, folder: str) -> str | None:
    """The id of the store that the user trusts at this data directory, or None."""
    return registered_at(user_dir, real_path(folder))


def registered_at(user_dir: str, real: str) -> str | None:
    """`registered` for a path that is real already: to resolve it again would cost a hook 60,000 instructions."""
    try:
        fd = posix_open(_file(user_dir, real), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    except OSError:
        return None
    try:
        store_id, _, path = read(fd, 16_384).partition(b"\n")
    finally:
        close(fd)
    return decode_text(store_id) if path == encode_text(real) else None


def register(user_dir: str, folder: str, store_id: str) -> None:
    """Trust the store of this id at this data directory. OSError when the registry cannot be written."""
    real = real_path(folder)
    _make_folder(f"{user_dir}/{FOLDER}")
    target = _file(user_dir, real)
    temporary = f"{target}.{getpid()}.new"
    fd = posix_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try:
        write(fd, store_id.encode() + b"\n" + encode_text(real))
        fsync(fd)
    finally:
        close(fd)
    rename(temporary, target)
    fd = posix_open(f"{user_dir}/{FOLDER}", O_RDONLY | O_CLOEXEC)
    try:
        fsync(fd)
    finally:
        close(fd)


def withdraw(user_dir: str, folder: str) -> bool:
    """Stop trusting the store at this data directory; False when it was not trusted."""
    try:
        unlink(_file(user_dir, real_path(folder)))
    except FileNotFoundError:
        return False
    return True


def _make_folder(path: str) -> None:
    """Make a private folder and the parents it lacks."""
    try:
        mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make_folder(path.rpartition("/")[0])
        mkdir(path, 0o700)


def _file(user_dir: str, real: str) -> str:
    data = encode_text(real)
    return f"{user_dir}/{FOLDER}/{source_hash(1, data).hex()}{source_hash(2, data).hex()}"
