"""Build what makes hooks start fast: ordinary bytecode, and one file that holds what each event runs (see `link`)."""

from __future__ import annotations

import _imp
import compileall
import gc
import marshal
import os
import py_compile
import sys
import tempfile
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gmhooks import __version__ as VERSION
from gmhooks.init.link import Unit
from gmhooks.init.sources import HOT as HOT
from gmhooks.init.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable

LOADER = "gmhooks.hooks.packed"
EVENTS = {
    "user-prompt": "gmhooks.hooks.prompt",
    "session-start": "gmhooks.hooks.start",
    "pre-compact": "gmhooks.hooks.compact",
    "session-end": "gmhooks.hooks.end",
}
GROUPS = {"user-prompt": {("gmhooks.hooks.saves", "obey"): "remember"}}  # by event: what leads on, its word in hot.txt
HEAD = 8192  # what a shim reads
_HOT_LIST = Path(__file__).with_name("hot.txt")


def pack_path(package: Path) -> Path:
    """Where the pack of this interpreter lies."""
    return package / "hooks" / "__pycache__" / f"hot.{sys.implementation.cache_tag}.pack"


def build(package: Path | None = None, say: Callable[[str], object] = lambda reason: None) -> Path | None:  # noqa: ARG005
    """Compile the hot set of `package` (default: this one) and write its pack; None, and the reason to `say`, if that fails.

    Beside sources that are edited in place (LMDB lies elsewhere) a pack would go stale: there it only records where LMDB is.
    """
    package = package or Path(__file__).resolve().parents[1]
    target = pack_path(package)
    installed = (package.parent / "lmdb").is_dir()
    collecting = gc.isenabled()
    gc.disable()  # a quarter of the time: all syntax trees live until the end
    try:
        target.parent.mkdir(exist_ok=True)
        _compile(package, trusted=installed)
        _publish(target, content(package, full=installed))
    except (OSError, SyntaxError, ValueError) as error:
        say(f"no pack in {target.parent}: {error}")
        return None
    finally:
        if collecting:
            gc.enable()
    return target


def content(package: Path, *, full: bool) -> bytes:
    """The bytes of the pack: hash and head, the units of the events, these once more, and their cold parts.

    Raises ValueError when something cannot be linked, or the head is larger than a shim reads.
    """
    sources = Sources(package)
    units = cold = b""
    places: dict[str, tuple[int, int]] = {}
    for event in EVENTS if full else ():
        unit = unit_of(sources, event)
        index = b""
        for part, names in unit.cold:
            data = marshal.dumps((part.code, part.values, names))
            index += len(cold).to_bytes(4, "little") + len(data).to_bytes(4, "little") + _imp.source_hash(0, data)
            cold += data
        data = marshal.dumps((unit.ready.code, unit.ready.values, unit.entry, index))
        places[event] = (HEAD + len(units), len(data))
        units += data
    seen = (package / "hooks" / "shim.py").stat()
    stamp = (VERSION, MAGIC_NUMBER, seen.st_mtime_ns, seen.st_size)
    table = (sources.code(LOADER), stamp, "" if full else _folder_of_lmdb(), len(units), places)
    head = marshal.dumps(table).ljust(HEAD - 8, b"\0")
    if len(head) > HEAD - 8:
        raise ValueError(f"a head of {len(head)} bytes is more than a shim reads")
    return _imp.source_hash(0, head) + head + units * 2 + cold


def unit_of(sources: Sources, event: str) -> Unit:
    """The link of what an event runs. Raises ValueError when something cannot be linked."""
    strange = {runner for name, runner in EVENTS.items() if name != event}
    groups = {ref: hot_functions(word) for ref, word in GROUPS.get(event, {}).items()}
    return Unit(sources, hot_functions(event), strange, groups)


def hot_functions(event: str) -> set[str]:
    """The functions that ordinary runs of an event or group call, as `module:function`."""
    lines = [line.split() for line in _HOT_LIST.read_text(encoding="utf-8").splitlines()]
    return {line[0] for line in lines if event in line[1:]}


def _compile(package: Path, *, trusted: bool) -> None:
    """Bytecode for the ordinary imports; `trusted`: taken without a look at the sources."""
    mode = py_compile.PycInvalidationMode
    for folder in (package, *(package / name for name in HOT)):
        compileall.compile_dir(
            folder,
            maxlevels=0,
            quiet=2,
            force=True,
            invalidation_mode=mode.UNCHECKED_HASH if trusted else mode.TIMESTAMP,
        )


def _publish(target: Path, data: bytes) -> None:
    """Write beside the target and rename, so that a hook that starts meanwhile sees the old pack or the new one."""
    handle, name = tempfile.mkstemp(prefix=target.name, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _folder_of_lmdb() -> str:
    spec = find_spec("lmdb")
    if spec is None or spec.origin is None:
        return ""
    return str(Path(spec.origin).parents[1])
