"""Hot: take modules out of the pack. The shim runs this file's code with three names set: `table`, `pack`, `shim`.

`table` is the code of this file, version, magic number, stamp of the shim, folder of LMDB (or nothing), packages, index
(event or module to section numbers), spans of the sections, distance to their second copies. A section holds (module, code,
number of the section with its late functions) triples. The sections of an event are executed at once, others when one of
their modules is first imported; late functions are read when the first of their module is called. What the pack does not
hold is imported in the ordinary way, because the packages keep their `__path__`.
"""

from __future__ import annotations

import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    Spans = dict[str, tuple[int, ...]]
    Table = tuple[CodeType, str, bytes, tuple[int, int], str, tuple[str, ...], Spans, bytes, int]

given: dict[str, Any] = globals()
table: Table = given["table"]
pack: int = given["pack"]
shim: str = given["shim"]
_code, version, magic, stamp, lmdb, packages, index, spans, mirror = table
done: set[int] = set()


def section(number: int) -> Any:
    """Unmarshalled content of a section. Raises ImportError unless both of its copies are the same."""
    at, size = (int.from_bytes(spans[8 * number + half : 8 * number + half + 4], "little") for half in (0, 4))
    data = posix.pread(pack, size, at)
    if len(data) != size or data != posix.pread(pack, size, at + mirror):
        raise ImportError("damaged pack")
    return loads(data)


def load(key: str) -> None:
    """Execute the sections of an event or a module, each once."""
    for number in index.get(key, ()):
        if number not in done:
            done.add(number)
            for name, code, later in section(number):
                if name not in sys.modules:
                    module = sys.modules[name] = type(sys)(name)
                    if later:
                        module.__dict__["_late"] = late(module.__dict__, later)
                    exec(code, module.__dict__)


def late(space: dict[str, Any], number: int) -> Callable[[str], Callable[..., Any]]:
    """What a module's code calls for each function that an ordinary prompt does not need: it makes a stand-in."""
    found: dict[str, Any] = {}

    def stand_in(name: str) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            if not found:
                for key, code in section(number):
                    made: dict[str, Any] = {}
                    exec(code, space, made)
                    found[key] = made.popitem()[1]
                    if key in space:
                        space[key] = found[key]
            return found[name](*args, **kwargs)

        return function

    return stand_in


def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG001
    """A spec for a module whose section is loaded on the way; None for what the pack does not hold."""
    if name not in index:
        return None
    load(name)
    return ModuleSpec(name, finder)  # type: ignore[arg-type]


def create_module(spec: ModuleSpec) -> ModuleType:
    """The module that `find_spec` has executed already."""
    return sys.modules[spec.name]


def exec_module(module: ModuleType) -> None:
    """Nothing is left to do."""


def unpack() -> None:
    """Load what every run and this event need, and serve the rest on demand. Raises ImportError for a pack of others."""
    global pack
    posix.close(pack)
    seen = posix.stat(shim)
    if magic != MAGIC_NUMBER or stamp != (seen.st_mtime_ns, seen.st_size):
        raise ImportError("not the pack of this shim")
    while posix.open("/dev/null", 2) < 3:
        pass
    pack = posix.open(f"{shim[:-7]}__pycache__/hot.{sys.implementation.cache_tag}.pack", 0)
    for name in packages:
        package = sys.modules[name] = type(sys)(name)
        package.__dict__.update(__path__=[shim[:-21] + name.replace(".", "/")], __version__=version)
    try:
        load("")
        load(sys.argv[-1])
    except BaseException:
        for name in [name for name in sys.modules if name.startswith("gmhooks")]:
            del sys.modules[name]
        raise
    sys.meta_path.insert(0, finder)
    if lmdb:
        sys.path.append(lmdb)


finder = type(sys)("packed")
finder.__dict__.update(find_spec=find_spec, create_module=create_module, exec_module=exec_module)
unpack()
