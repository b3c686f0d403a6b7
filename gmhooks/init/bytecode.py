"""The hooks' bytecode and pack, built only when they are not what this code would build: that takes seconds."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path

from gmhooks import __version__
from gmhooks.init.own import write_own
from gmhooks.init.pack import HOT, build, pack_path


def ready(package: Path | None = None) -> bool:
    """Have bytecode and pack of `package` (default: this one) in place; False if their folder cannot be written."""
    package = package or Path(__file__).resolve().parents[1]
    note = pack_path(package).with_suffix(".built")
    try:
        if note.read_bytes() == _state(package):
            return True
    except OSError:
        pass  # never built, or taken apart since
    if build(package) is None:
        return False
    try:
        write_own(str(note), _state(package), 0o644)
    except OSError:
        return False
    return True


def _state(package: Path) -> bytes:
    """A hash of all that goes in and all that came out. OSError when the pack is absent."""
    shim = (package / "hooks" / "shim.py").stat()
    lmdb = find_spec("lmdb")
    stamp = (__version__, MAGIC_NUMBER, sys.version, shim.st_mtime_ns, str(package), lmdb and lmdb.origin)
    seen = hashlib.sha256(repr(stamp).encode())
    seen.update(pack_path(package).read_bytes())
    for path in _files(package):
        data = path.read_bytes()
        seen.update(f"\0{path.name} {len(data)}\0".encode())
        seen.update(data)
    return seen.hexdigest().encode() + b"\n"


def _files(package: Path) -> Iterator[Path]:
    """What is packed, what packs it, and the bytecode, in order."""
    for folder in (package, *(package / name for name in HOT)):
        yield from sorted(folder.glob("*.py"))
        yield from sorted(folder.glob(f"__pycache__/*.{sys.implementation.cache_tag}.pyc"))
    yield from sorted((package / "init").glob("*.py"))
    yield package / "init" / "hot.txt"
