"""Hot: take modules out of the pack. The shim runs this file's code with two names set: `table` and `hooks`.

`table` is (this code, packages, {event or module: section numbers}, (marshalled ((name, code), …), …), folder of LMDB or
nothing, version). The sections of an event are executed at once, others when one of their modules is first imported. What the pack
does not hold is imported in the ordinary way, because the packages keep their `__path__`.
"""

from __future__ import annotations

import sys
from marshal import loads

from _frozen_importlib import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

    Table = tuple[CodeType, tuple[str, ...], dict[str, tuple[int, ...]], tuple[bytes, ...], str, str]
    table: Table
    hooks: str


class Pack:
    """A finder and loader for the modules of the pack."""

    def __init__(self, index: dict[str, tuple[int, ...]], sections: tuple[bytes, ...]) -> None:
        self.index = index
        self.sections = sections
        self.done: set[int] = set()

    def load(self, key: str) -> bool:
        """Execute the sections of an event or a module, each once; False if the pack has none."""
        for number in self.index.get(key, ()):
            if number not in self.done:
                self.done.add(number)
                for name, code in loads(self.sections[number]):
                    if name not in sys.modules:
                        module = sys.modules[name] = type(sys)(name)
                        exec(code, module.__dict__)
        return key in self.index

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """A spec for a module whose section is loaded on the way."""
        return ModuleSpec(name, self) if self.load(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that `find_spec` has executed already."""
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def unpack(table: Table, hooks: str) -> None:
    """Load what every run and this event need, and serve the rest on demand."""
    if table[4]:
        sys.path.append(table[4])
    for name in table[1]:
        package = sys.modules[name] = type(sys)(name)
        package.__path__ = [hooks[:-13] + name.replace(".", "/")]
        package.__version__ = table[5]  # type: ignore[attr-defined]
    pack = Pack(table[2], table[3])
    pack.load("")
    pack.load(sys.argv[-1])
    sys.meta_path.insert(0, pack)  # type: ignore[arg-type]


unpack(table, hooks)
