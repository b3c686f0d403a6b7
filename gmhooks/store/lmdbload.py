"""Hot: LMDB's C module without the standard library that its package would load.

`import lmdb` runs a package that needs `os` (a fifth of an empty interpreter's start); the C module itself needs only
`lmdb._envid`, a guard against opening one file twice in a process, which a hook does not do.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def load() -> ModuleType:
    """The module that has LMDB's `Environment` and errors. Raises ImportError if there is none.

    A process that has `os` already gets the ordinary package. Variables that steer LMDB are removed first: one of them
    would choose another implementation, another prints on stderr.
    """
    package = sys.modules.get("lmdb")
    if package is not None:
        return package if hasattr(package, "Environment") else sys.modules["lmdb.cpython"]
    _forget_variables()
    bare = None if "os" in sys.modules else _bare(sys.path[-1] + "/lmdb")
    return bare or _ordinary()


def _forget_variables() -> None:
    """Remove them from the C environment and from the copy that Python code reads."""
    os = sys.modules.get("os")
    copy = os.environb if os else posix.environ
    for name in [name for name in copy if name.startswith(b"LMDB_") or name == b"READTHEDOCS"]:
        del copy[name]
        posix.unsetenv(name)


def _bare(folder: str) -> ModuleType | None:
    package = type(sys)("lmdb")
    package.__path__ = [folder]
    guard = type(sys)("lmdb._envid")
    guard.env_keys = lambda path, subdir: ()  # type: ignore[attr-defined]  # noqa: ARG005
    sys.modules["lmdb"] = package
    sys.modules["lmdb._envid"] = guard
    try:
        from lmdb import cpython  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001 - LMDB's own affairs: the ordinary import decides
        for name in ("lmdb", "lmdb._envid", "lmdb.cpython"):
            sys.modules.pop(name, None)
        return None
    module: ModuleType = cpython
    return module


def _ordinary() -> ModuleType:
    try:
        import lmdb
    except ImportError:
        # An editable install: LMDB lies in a folder that only `site` knows.
        from site import main

        main()
        import lmdb
    return lmdb
