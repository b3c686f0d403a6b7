"""Hot: the one resolver: which project, store and agent_id a process works for. It reads, and creates nothing."""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTORY = "/.graymatter"
_TEMP = ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp")
_LINKS = 40
_TYPE, DIR, FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000


class RouteError(Exception):
    """No project here; `code` says why.

    `bad_project_dir`: the variable is set but names no directory; `bad_cwd`: neither does the payload or the
    process; `not_a_project`: `/`, the home directory or a temporary root that nobody prepared.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Route:
    """`root` and `data_dir` are absolute real paths; `rule` says what chose the root."""

    __slots__ = ("agent_id", "data_dir", "root", "rule")

    def __init__(self, root: str, data_dir: str, rule: str) -> None:
        self.root = root
        self.data_dir = data_dir
        self.agent_id = agent_id(root)
        self.rule = rule


def for_hook(environ: dict[bytes, bytes], payload_cwd: str) -> Route:
    """The route of a hook or a server: `CLAUDE_PROJECT_DIR`, else the payload's cwd, else the process cwd. A folder in
    a git checkout that is not prepared itself stands for the nearest prepared one above it there.

    Raises RouteError. Whether the store is there is asked with `prepared`.
    """
    named = environ.get(b"CLAUDE_PROJECT_DIR")
    cwd = _native(payload_cwd)
    if named is not None:
        root = directory(named.decode(sys.getfilesystemencoding(), "surrogateescape"))
        if not root:
            raise RouteError("bad_project_dir", "CLAUDE_PROJECT_DIR is not the absolute path of a directory")
        if cwd and cwd != root:
            from gmhooks.hooks.worktree import entered

            tree = entered(root, cwd)
            if tree:
                return Route(tree, tree + DIRECTORY, "worktree entered by cwd")
        return _above(root, "CLAUDE_PROJECT_DIR", environ)
    root = directory(cwd) if cwd else _here()
    if not root:
        raise RouteError("bad_cwd", "the working directory is not the absolute path of a directory")
    return _above(root, "payload cwd" if cwd else "process cwd", environ)


def for_cli(start: str, dir_flag: str | None = None, environ: dict[bytes, bytes] | None = None) -> Route:
    """The route of a command: the nearest folder upwards from `start` that has `.graymatter`, up to the git root and
    below the home directory; else the git root; else `start`. `dir_flag` moves the store, never the identity.

    Raises RouteError `bad_cwd` or `not_a_project`.
    """
    environ = posix.environ if environ is None else environ
    here = directory(start)
    if not here:
        raise RouteError("bad_cwd", "the working directory is gone")
    root, rule = here, "working directory"
    for folder in upwards(here):
        if folder != here and _refused(folder, environ):
            break
        if kind(_store(folder)) == DIR:
            root, rule = folder, "nearest .graymatter"
            break
        if kind(folder + "/.git"):
            root, rule = folder, "git root"
            break
    route = _settled(root, rule, environ)
    if dir_flag:
        route.data_dir = dir_flag if dir_flag.startswith("/") else f"{here}/{dir_flag}"
        route.rule += ", store by --dir"
    return route


def prepared(data_dir: str) -> bool:
    """True for a real folder that holds our marker or a store."""
    return kind(data_dir) == DIR and FILE in (kind(data_dir + "/MEMORY.md"), kind(data_dir + "/gray.mdb"))


def agent_id(root: str) -> str:
    """The folder's name, casefolded, with one `-` for each run of other characters; `project` if nothing is left."""
    name = root.rpartition("/")[2]
    if name.isascii():
        name = name.lower()
        if not name.isalnum():
            name = "".join([c if c.isalnum() else " " for c in name])
    else:
        from unicodedata import category, normalize

        name = normalize("NFKC", normalize("NFKC", name).casefold())
        name = "".join([c if category(c)[0] in "LM" or category(c) == "Nd" else " " for c in name])
    return "-".join(name.split()) or "project"


def directory(path: str) -> str:
    """The real path of a folder named by an absolute path, or nothing."""
    try:
        if path == posix.getcwd():
            return path
    except OSError:
        pass
    if path[:1] != "/":
        return ""
    done, links = "", 0
    todo = path.split("/")[::-1]
    while todo:
        part = todo.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        step = f"{done}/{part}"
        type_ = kind(step)
        if type_ == DIR:
            done = step
        elif type_ == _LINK and links < _LINKS:
            links += 1
            target = posix.readlink(step)
            if target[:1] == "/":
                done = ""
            todo += target.split("/")[::-1]
        else:
            return ""
    return done or "/"


def _above(root: str, rule: str, environ: dict[bytes, bytes]) -> Route:
    """A client that is started below the top of a repository reads the settings, and so the hooks, of the top."""
    if prepared(_store(root)):
        return Route(root, _store(root), rule)
    from gmhooks.hooks.worktree import top

    above = nearest(root, top(root))
    if above and not _refused(above, environ):
        return Route(above, _store(above), "nearest .graymatter above " + rule)
    return _settled(root, rule, environ)


def _settled(root: str, rule: str, environ: dict[bytes, bytes]) -> Route:
    """The root itself if it is prepared, else the main checkout it is a worktree of, else the root if it may be one."""
    if not prepared(_store(root)):
        from gmhooks.hooks.worktree import main_checkout

        main = main_checkout(root)
        if main:
            return Route(main, main + DIRECTORY, "main checkout of " + rule)
        if _refused(root, environ):
            raise RouteError("not_a_project", f"{root} is no project unless it is prepared explicitly")
    return Route(root, _store(root), rule)


def _store(root: str) -> str:
    return root.rstrip("/") + DIRECTORY


def _native(text: str) -> str:
    """A path from UTF-8 text in the form that this process gives to the system."""
    encoding = sys.getfilesystemencoding()
    return text if encoding == "utf-8" else text.encode("utf-8", "replace").decode(encoding, "surrogateescape")


def _here() -> str:
    try:
        return posix.getcwd()
    except OSError:
        return ""


def kind(path: str) -> int:
    """The file type bits of what the path itself names; 0 for nothing, or for no path at all."""
    try:
        return posix.lstat(path).st_mode & _TYPE
    except (OSError, ValueError):
        return 0


def upwards(folder: str) -> Iterator[str]:
    """The folder and those above it, without the root directory."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def nearest(folder: str, top: str) -> str:
    """The nearest prepared folder from `folder` upwards to `top`; nothing if there is none, or no top."""
    for step in upwards(folder if top else ""):
        if prepared(_store(step)):
            return step
        if step == top:
            break
    return ""


def _refused(root: str, environ: dict[bytes, bytes]) -> bool:
    """True for `/`, the home directory and temporary roots."""
    named = (environ.get(b"HOME", b""), environ.get(b"TMPDIR", b""))
    private = [directory(path.decode(sys.getfilesystemencoding(), "surrogateescape")) for path in named]
    return root == "/" or root in _TEMP or root in private
