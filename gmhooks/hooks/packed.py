"""Hot: take modules out of the pack. The shim runs this file's code with three names set: `table`, `pack`, `shim`.

`table` is the code of this file, a stamp (version, magic number, time and size of the shim), position and length of the
contents, and the distance to the second copy of what follows the head. The contents are the folder of LMDB (or nothing), the
packages, modules that every interpreter has, the index (event or module to section numbers) and the spans of the sections.

A section holds (module, code, number of the section with its late functions) triples. The sections of an event are executed
at once, others when one of their modules is first imported; late functions are read when the first of a module is called.
What the pack does not hold is imported in the ordinary way, because the packages keep their `__path__`.
"""

from __future__ import annotations

import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from gc import disable
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    Names = tuple[str, ...]
    Table = tuple[CodeType, tuple[str, bytes, int, int], int, int, int]
    Contents = tuple[str, Names, Names, dict[str, tuple[int, ...]], bytes]

disable()
given: dict[str, Any] = globals()
table: Table = given["table"]
pack: int = given["pack"]
shim: str = given["shim"]
_code, (version, *stamp), begin, length, mirror = table
record = type(sys.implementation)
done: set[int] = set()


def content(at: int, size: int) -> Any:
    """Unmarshalled content of one place. Raises ImportError unless both of its copies are the same."""
    data = posix.pread(pack, size, at)
    if len(data) != size or data != posix.pread(pack, size, at + mirror):
        raise ImportError("damaged pack")
    return loads(data)


def section(number: int) -> Any:
    """Unmarshalled content of a section."""
    at = spans[8 * number : 8 * number + 4]
    size = spans[8 * number + 4 : 8 * number + 8]
    return content(begin + length + int.from_bytes(at, "little"), int.from_bytes(size, "little"))


def load(key: str) -> None:
    """Execute the sections of an event or a module, each once."""
    for number in index.get(key, ()):
        if number not in done:
            done.add(number)
            for name, code, later in section(number):
                if name not in sys.modules:
                    module = sys.modules[name] = type(sys)(name)
                    space = spaces[name] = module.__dict__
                    space["_space"] = spaces
                    space["_record"] = record
                    if later:
                        space["_late"] = late(space, later)
                    exec(code, space)


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


def reopen() -> int:
    """The pack on a descriptor above 2, whichever of these were closed. Raises ImportError for the pack of another shim."""
    posix.close(pack)
    seen = posix.stat(shim)
    if stamp != [MAGIC_NUMBER, seen.st_mtime_ns, seen.st_size]:
        raise ImportError("not the pack of this shim")
    while posix.open("/dev/null", 2) < 3:
        pass
    return posix.open(f"{shim[:-7]}__pycache__/hot.{sys.implementation.cache_tag}.pack", 0)


def unpack() -> None:
    """Load what every run and this event need, and serve the rest on demand."""
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


pack = reopen()
contents: Contents = content(begin, length)
lmdb, packages, ready, index, spans = contents
spaces = {name: sys.modules[name].__dict__ for name in ready}
finder = type(sys)("packed")
finder.__dict__.update(find_spec=find_spec, create_module=create_module, exec_module=exec_module)
unpack()
