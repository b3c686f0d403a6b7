"""The linker: all that one event ordinarily runs, out of many modules, as one namespace and one code object.

An import statement costs a hook 15,000 instructions, a module object 9,000, a class 80,000 and a name taken from another
module 500; an empty interpreter costs 27 million. So the pack holds no modules. It holds a *unit* for each event:

- Linking starts at `ENTRY` and follows names from definition to definition. What is not reached is not there.
- Every global name is resolved: a constant becomes its value, and anything else gets a *flat name* in the unit's one
  namespace, whatever modules call it. An import inside a function becomes an assignment.
- The *ready* part is executed at the start. It holds the functions that hot.txt lists for the event, and those that they
  pass on. Any other definition is a *cold* part of its own: its place in code is taken by `_cold(number)`, which reads and
  executes the part when that place is first reached. So a gap in hot.txt costs time and nothing else.
- Behind some definitions many cold ones are sure to follow. The part of such a one, a *group*, brings with it what hot.txt
  lists for it: reading a hundred parts one by one costs ten times as much. What only needs one of them reads that one.
- A class with `__slots__` that has neither base nor decorator and is only called becomes a function that makes a plain
  `_record`. Constants of the class and its methods, bound, are fields too; cold methods are bound to `_rest`. Properties
  only work on a class: those of all records are on `_object`, with the methods beside them, so no two of these classes may
  share a name. A class that cannot become a function is not linked.
- What is not linked comes from its own module, imported then and there: `_late(module, name)`. That goes for exceptions and
  whatever else `except`, `isinstance` or a base class compares by identity, so that each of them exists once; for functions
  with `global`, `super` or a decorator; for values that cannot be marshalled; for the runners of other events. A function
  taken that way works with its own module's definitions. It may be given records of ours, since it only uses their fields
  and methods, and its caches are not ours.
- Constants are what the modules' own code makes of them when the pack is built, on the machine that runs it.

The flat name is the definition's own name; one that is a builtin, a local name somewhere or taken gets apostrophes. Code
objects keep the file and the lines of their source, for receipts. `gmhooks.hooks.packed` provides the names in `PROVIDED`.
"""

from __future__ import annotations

import ast
import builtins
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any

from gmhooks.init.sources import decorator_of, file_of, finished, members_of
from gmhooks.init.trees import copied, locals_of, placed

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Set

    from gmhooks.init.sources import Sources
    from gmhooks.init.trees import Comprehension, Reference

ENTRY = ("gmhooks.hooks.main", "start")
READY = ("_imp", "_io", "_signal", "_thread", "marshal", "posix", "sys", "time")  # loaded in every interpreter
PROVIDED = ("_late", "_cold", "_rest", "_bound", "_record", "_modules")
CLASS = "_object"
_FEW = 8  # words in a set; more are read faster as one text


@dataclass
class Part:
    """Definitions that are executed together: `code`, and the `values` that its namespace needs beforehand.

    `hot` are the names `module:function` of functions that are sure to be called; one that `gathers` holds those it reaches.
    """

    hot: Set[str] = frozenset()
    gathers: bool = False
    outside: list[ast.stmt] = field(default_factory=list)
    definitions: list[ast.stmt] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)

    @cached_property
    def code(self) -> CodeType:
        """Compiled code of the part; that of a function names the function's own file."""
        tree = placed(ast.Module([*self.outside, *self.definitions], []))
        code = compile(tree, "", "exec", dont_inherit=True, optimize=2)
        consts = [
            finished(const, self.files.get(const.co_name, "")) if isinstance(const, CodeType) else const
            for const in code.co_consts
        ]
        return code.replace(co_consts=tuple(consts))


class Unit:
    """The link of one event: the `ready` part, and the `cold` ones, each with the names of what `_cold` gives for numbers.

    `hot` are the names `module:function` of the functions that the event ordinarily calls; `groups` are definitions with
    those that are ordinarily called once such a one is. `strange` modules are not linked.
    """

    def __init__(
        self,
        sources: Sources,
        hot: Iterable[str],
        strange: Container[str] = (),
        groups: Mapping[Reference, Set[str]] = MappingProxyType({}),
    ) -> None:
        self.ready = self.part = Part(frozenset(hot), gathers=True)
        self.cold: list[tuple[Part, dict[int, str]]] = []
        self._sources = sources
        self._strange = strange
        self._names: dict[Reference, str] = {}
        self._taken = {*sources.locals, *dir(builtins), *PROVIDED, CLASS}
        self._nodes = dict(sources.nodes)
        self._numbers: dict[Reference, int] = {}
        self._waiting: list[Reference] = []
        self.ready.definitions += ast.parse(f"class {CLASS}: pass").body
        self.entry = self._name(ENTRY)
        self._gather([ENTRY])
        waiting = list(self._numbers)
        for number, ref in enumerate(waiting):
            self.part = Part(self.ready.hot | groups.get(ref, frozenset()), gathers=ref in groups)
            self._gather([ref, *filter(self._is_hot, waiting)] if self.part.gathers else [ref])
            self.cold.append((self.part, {number: self._name(ref)}))
            waiting += list(self._numbers)[len(waiting) :]
        for part, names in self.cold:
            if part.gathers:
                names.update({at: self._name(ref) for at, ref in enumerate(waiting) if self._name(ref) in part.names})

    def _gather(self, refs: Iterable[Reference]) -> None:
        self._waiting += refs
        while self._waiting:
            self._emit(self._waiting.pop())

    def expression(self, ref: Reference, *, now: bool, called: bool = False) -> ast.expr:
        """What stands for a definition where it is used; `now`: that is while the part's code is executed."""
        module, name = ref
        if ref in self._nodes:
            if ref in self._sources.linkable and module not in self._strange:
                return self._linked(ref, now, called)
        elif module in READY and not name:
            return self._outer(ref, f"_modules[{module!r}]")
        elif not name:
            raise ValueError(f"{module} is not loaded in every interpreter: import names from it, not the module")
        elif module in READY or module in self._sources.trees:
            value = self._sources.value(ref)
            if type(value) is frozenset and len(value) > _FEW and _are_words(value):
                return self._outer(ref, f"frozenset({' '.join(sorted(value))!r}.split())")
            if _is_constant(value):
                return ast.Constant(value)
            if module in READY:
                return self._outer(ref, f"_modules[{module!r}].{name}")
            if _can_be_marshalled(value):
                if self._is_new(ref):
                    self.part.values[self._name(ref)] = value
                return _load(self._name(ref))
        return ast.Call(_load("_late"), [ast.Constant(module), ast.Constant(name)], [])

    def _linked(self, ref: Reference, now: bool, called: bool) -> ast.expr:
        """The name of a definition that is there by then, or what fetches it. What is passed on must be there."""
        name = self._name(ref)
        if self.part.gathers and (self._is_hot(ref) or not called):
            if now:
                self._emit(ref)
            self._waiting.append(ref)
        elif name not in self.ready.names | self.part.names:
            return ast.Call(_load("_cold"), [ast.Constant(self._number(ref))], [])
        return _load(name)

    def _number(self, ref: Reference) -> int:
        return self._numbers.setdefault(ref, len(self._numbers))

    def _is_new(self, ref: Reference) -> bool:
        """Whether a definition has to be added to this part; that it will be is noted."""
        name = self._name(ref)
        if name in self.ready.names or name in self.part.names:
            return False
        self.part.names.add(name)
        return True

    def _name(self, ref: Reference) -> str:
        """The flat name of a definition."""
        name = self._names.get(ref)
        if name is None:
            name = ref[1] or ref[0]
            while name in self._taken:
                name += "'"
            self._taken.add(name)
            self._names[ref] = name
        return name

    def _is_hot(self, ref: Reference) -> bool:
        module, name = ref
        if isinstance(self._nodes.get(ref), ast.ClassDef):
            name += ".__init__"
        return f"{module}:{name}" in self.part.hot

    def _outer(self, ref: Reference, source: str) -> ast.expr:
        """A name for something of a module that every interpreter has."""
        if self._is_new(ref):
            self.part.outside.append(_assignment(self._name(ref), ast.parse(source, mode="eval").body))
        return _load(self._name(ref))

    def _emit(self, ref: Reference) -> None:
        """Add a linked definition, behind what its own execution needs."""
        if self._is_new(ref):
            node = copied(self._nodes[ref])
            if isinstance(node, ast.ClassDef):
                self._emit_record(ref, node)
            else:
                self._emit_function(ref, node)

    def _emit_function(self, ref: Reference, node: ast.FunctionDef, prelude: Iterable[ast.stmt] = ()) -> ast.Name:
        made = _Linker(self, self._sources, ref[0]).visit(node)
        made.name = self._name(ref)
        made.body[:0] = prelude
        self.part.names.add(made.name)
        self.part.files[made.name] = file_of(ref[0])
        self.part.definitions.append(made)
        return _load(made.name)

    def _emit_record(self, ref: Reference, node: ast.ClassDef) -> None:
        """Add the function that stands for a class, and its methods."""
        members = dict(members_of(node))
        init = members.pop("__init__")
        assert isinstance(init, ast.FunctionDef)
        itself = init.args.args.pop(0).arg
        kind = CLASS if self._sources.records[ref] else "_record"
        prelude: list[ast.stmt] = [_assignment(itself, ast.Call(_load(kind), [], []))]
        for name, part in members.items():
            if isinstance(part, ast.FunctionDef):
                given = self._method(ref, part, itself)
            else:
                given = _Linker(self, self._sources, ref[0]).visit(ast.Lambda(_no_arguments(), part.value)).body
            if given is not None:
                prelude.append(_assignment(name, given, itself))
        init.body.append(ast.Return(_load(itself)))
        self._emit_function(ref, init, prelude)

    def _method(self, owner: Reference, node: ast.FunctionDef, itself: str) -> ast.expr | None:
        """What a new record gets for a method; None for one that goes to the class of the records with properties."""
        member, decorator = node.name, decorator_of(node)
        ref = (owner[0], f"{owner[1]}.{member}")
        node.decorator_list = []
        if not decorator and not self._is_hot(ref):
            self._nodes[ref] = node
            place = ast.Tuple([_load(itself), ast.Constant(self._number(ref))], ast.Load())
            return ast.Call(_load("_bound"), [_load("_rest"), place], [])
        method: ast.expr = self._emit_function(ref, node)
        if self._sources.records[owner]:
            value = ast.Call(_load(decorator), [method], []) if decorator else method
            self.part.definitions.append(_assignment(member, value, CLASS))
            return None
        return method if decorator else ast.Call(_load("_bound"), [method, _load(itself)], [])


class _Linker(ast.NodeTransformer):
    """Resolve the global names of one definition."""

    def __init__(self, unit: Unit, sources: Sources, module: str) -> None:
        self.unit = unit
        self.sources = sources
        self.module = module
        self.scopes: list[set[str] | frozenset[str]] = []

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or self._is_local(node):
            return node
        return self._resolved(self.module, node.id) or node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func
        if isinstance(name, ast.Name):
            node.func = name if self._is_local(name) else self._resolved(self.module, name.id, called=True) or name
        else:
            node.func = self.visit(name)
        node.args = [self.visit(part) for part in node.args]
        node.keywords = [self.visit(part) for part in node.keywords]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        module = str(node.module)
        if not module.startswith("gmhooks"):
            return node
        found: list[ast.stmt] = []
        for part in node.names:
            value = self._resolved(module, part.name, called=True)
            if value is None:
                raise ValueError(f"{module} does not define {part.name}")
            found.append(ast.copy_location(_assignment(part.asname or part.name, value), node))
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        self._visit_defaults(node.args)
        with self._inside(node):
            node.body = self._visit_body(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._visit_defaults(node.args)
        with self._inside(node):
            node.body = self.visit(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.bases = [self.visit(part) for part in node.bases]
        with self._inside(node):
            node.body = self._visit_body(node.body)
        return node

    def _visit_comprehension(self, node: Comprehension) -> ast.AST:
        first = node.generators[0]
        outermost, first.iter = self.visit(first.iter), ast.Constant(None)
        with self._inside(node):
            self.generic_visit(node)
        first.iter = outermost
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    @contextmanager
    def _inside(self, node: ast.AST) -> Iterator[None]:
        """In the scope of a node, from where the names of a class around it are not seen."""
        before = self.scopes
        self.scopes = [*(scope for scope in before if not isinstance(scope, frozenset)), locals_of(node)]
        yield
        self.scopes = before

    def _visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for part in body:
            made = self.visit(part)
            found += made if isinstance(made, list) else [made]
        return found

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(part) for part in arguments.defaults]
        arguments.kw_defaults = [part and self.visit(part) for part in arguments.kw_defaults]

    def _is_local(self, node: ast.Name) -> bool:
        return any(node.id in names for names in self.scopes)

    def _resolved(self, module: str, name: str, *, called: bool = False) -> ast.expr | None:
        ref = self.sources.meaning(module, name)
        return None if ref is None else self.unit.expression(ref, now=not self.scopes, called=called)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assignment(name: str, value: ast.expr, owner: str = "") -> ast.Assign:
    target = ast.Attribute(_load(owner), name, ast.Store()) if owner else ast.Name(name, ast.Store())
    return ast.Assign([target], value)


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _is_constant(value: object) -> bool:
    """Whether code can hold the value."""
    if type(value) in (tuple, frozenset):
        return all(map(_is_constant, value))  # type: ignore[call-overload]
    return type(value) in (int, str, bytes, float, bool, type(None))


def _are_words(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and value.split() == [value] for value in values)


def _can_be_marshalled(value: object) -> bool:
    if type(value) in (list, set):
        return all(map(_can_be_marshalled, value))  # type: ignore[call-overload]
    if type(value) is dict:
        return all(_can_be_marshalled(part) for pair in value.items() for part in pair)
    return _is_constant(value)
