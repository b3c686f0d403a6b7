"""Hot: take modules out of the pack. The shim runs this file's code with two names set: `table` and `hooks`.

`table` is (this code, {event or module: section numbers}, (marshalled ((name, code), …), …), folder of lmdb).
Sections needed by an event are executed at once; others when one of their modules is first imported. What is
not in the pack is imported in the ordinary way, because the packages keep their `__path__`.
"""

from __future__ import annotations

import sys
from marshal import loads

from _frozen_importlib import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    table: tuple[object, dict[str, tuple[int, ...]], tuple[bytes, ...], str]
    hooks: str


class Pack:
    """A finder and loader for the modules of the pack."""

    def __init__(self, index: dict[str, tuple[int, ...]], sections: tuple[bytes, ...], root: str) -> None:
        self.index = index
        self.sections = sections
        self.root = root
        self.done: set[int] = set()

    def load(self, key: str) -> bool:
        """Execute the sections of an event or a module, each once; False if the pack has none."""
        for number in self.index.get(key, ()):
            if number not in self.done:
                self.done.add(number)
                for name, code in loads(self.sections[number]):
                    self.execute(name, code)
        return key in self.index

    def execute(self, name: str, code: object) -> None:
        """Make one module, or a package where there is no code."""
        module = type(sys)(name)
        sys.modules[name] = module
        if code is None:
            module.__path__ = [self.root + name.replace(".", "/")]
        else:
            exec(code, module.__dict__)  # type: ignore[arg-type]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A spec for a module whose section is loaded on the way."""
        return ModuleSpec(name, self) if self.load(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that `find_spec` has executed already."""
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def unpack() -> None:
    """Load what every run and this event need, and serve the rest on demand."""
    if table[3]:
        sys.path.append(table[3])
    pack = Pack(table[1], table[2], hooks[:-13])
    sys.meta_path.insert(0, pack)  # type: ignore[arg-type]
    pack.load("")
    pack.load(sys.argv[-1])


unpack()
