"""Hot: run a hook from the pack. The shim runs this file's code with three names set: `table`, `pack` and `shim`.

`table` is the code of this file, a stamp (version, magic number, time and size of the shim), the folder of LMDB (or "" if it
lies beside us), the size of all units, and position and size of each event's unit. A unit (see `gmhooks.init.link`) is
marshalled: code, the namespace that it starts with, the name of the function to call, and an index of its cold parts: 16
bytes each, for position, size and hash. A cold part holds code, values for the namespace, and by number the names of what it
defines: its own, and those of parts that it makes unnecessary. Units are there twice and compared, which costs less than a
hash; the cold parts follow the second copy.

A run ends the process. What is in doubt before it raises, with nothing done, and the shim goes on with ordinary imports.
"""

from __future__ import annotations

import posix
import sys
from _frozen_importlib_external import MAGIC_NUMBER
from _imp import source_hash
from gc import disable
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    Table = tuple[CodeType, tuple[str, bytes, int, int], str, int, dict[str, tuple[int, int]]]
    Unit = tuple[CodeType, dict[str, Any], str, bytes]

HEAD = 8192
given: dict[str, Any] = globals()
table: Table = given["table"]
pack: int = given["pack"]
shim: str = given["shim"]
_code, (version, *stamp), lmdb, units, places = table
fetched: dict[int, str] = {}


def late(module: str, name: str) -> Any:
    """A definition that is not linked, from its own module."""
    return getattr(__import__(module, None, None, (name,)), name)


def cold(number: int) -> Any:
    """A linked definition that ordinary runs do not need, read when it is first used. Raises ImportError if damaged."""
    if number not in fetched:
        entry = index[16 * number : 16 * number + 16]
        at, size = int.from_bytes(entry[:4], "little"), int.from_bytes(entry[4:8], "little")
        data = posix.pread(pack, size, HEAD + 2 * units + at)
        if source_hash(0, data) != entry[8:]:
            raise ImportError("damaged pack")
        code, values, names = loads(data)
        for key, value in values.items():
            space.setdefault(key, value)
        exec(code, space)
        fetched.update(names)
    return space[fetched[number]]


def rest(place: tuple[object, int], *args: Any, **kwargs: Any) -> Any:
    """A call of a cold method; `place`: the record and the number of the method."""
    return cold(place[1])(place[0], *args, **kwargs)


def unit() -> Unit:
    """The event's unit. Raises ImportError for the pack of another shim, a damaged one, or one on the place of stdin."""
    seen = posix.stat(shim)
    if pack < 3 or stamp != [MAGIC_NUMBER, seen.st_mtime_ns, seen.st_size]:
        raise ImportError("not the pack of this shim")
    at, size = places[sys.argv[-1]]
    data = posix.pread(pack, size, at)
    if len(data) != size or data != posix.pread(pack, size, at + units):
        raise ImportError("damaged pack")
    found: Unit = loads(data)
    return found


disable()
try:
    if not lmdb:
        code, space, start, index = unit()
        space.update(
            _late=late, _cold=cold, _rest=rest, _record=type(sys.implementation),
            _bound=type(sys.meta_path[0].find_spec), _modules=sys.modules,
        )  # fmt: skip
        exec(code, space)
        for name in ("gmhooks", "gmhooks.hooks"):
            package = sys.modules[name] = type(sys)(name)
            package.__dict__.update(__path__=[shim[:-21] + name.replace(".", "/")], __version__=version)
        space[start](sys.argv)
        posix._exit(0)
    sys.path.append(lmdb)
finally:
    posix.close(pack)
