"""Hot: start the work after a session as a process that survives the client killing its hooks' process tree.

Never called with an open LMDB environment: that must not be carried across a fork.
"""

from __future__ import annotations

import sys
from posix import O_RDWR, _exit, chdir, closerange, dup2, execve, fork, setsid, sysconf, waitpid
from posix import open as posix_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_DESCRIPTORS = 1 << 16
_KEPT_VARIABLES = (b"GRAYMATTER_CLOCK",)


def start(name: str, data_dir: str, user_dir: str, environ: dict[bytes, bytes]) -> None:
    """Run a script beside this one detached, with this interpreter and import path. OSError when no process can be made."""
    script = sys.modules["gmhooks.hooks"].__path__[0] + "/" + name
    path = "\n".join(sys.path)
    arguments = [sys.executable, "-I", "-S", script, data_dir, user_dir, path]
    kept = {name: environ[name] for name in _KEPT_VARIABLES if name in environ}
    detach(lambda: execve(sys.executable, arguments, kept))


def detach(work: Callable[[], object]) -> None:
    """Call `work` in a grandchild that has no terminal, parent, descriptors or working directory of ours."""
    child = fork()
    if child:
        try:
            waitpid(child, 0)
        except ChildProcessError:
            pass  # children are reaped for us where SIGCHLD is ignored
        return
    try:
        setsid()
        if not fork():
            chdir("/")
            null = posix_open("/dev/null", O_RDWR)
            for fd in (0, 1, 2):
                dup2(null, fd)
            closerange(3, min(sysconf("SC_OPEN_MAX"), _MOST_DESCRIPTORS))
            work()
    finally:
        _exit(0)
