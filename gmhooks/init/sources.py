"""The hot modules as the linker sees them: what their names mean, which classes are records, what their constants are."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections import Counter
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from gmhooks.init.trees import binds, imported, locals_of, own_scope, walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gmhooks.init.trees import Reference

HOT = ("text", "store", "recall", "hooks")



class Sources:
    """The hot modules of one package folder, cut down to what runs: what their names mean, and what their constants are."""

    def __init__(self, package: Path) -> None:
        self.trees: dict[str, ast.Module] = {}
        for folder in HOT:
            for file in sorted((package / folder).glob("*.py")):
                if file.stem not in ("__init__", "shim"):
                    lean = _Lean().visit(ast.parse(file.read_bytes()))
                    self.trees[f"gmhooks.{folder}.{file.stem}"] = lean
        self.names = {module: _named(module, tree) for module, tree in self.trees.items()}
        self.nodes: dict[Reference, ast.FunctionDef | ast.ClassDef] = {
            (module, node.name): node
            for module, tree in self.trees.items()
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        self.locals: set[str] = set()
        for tree in self.trees.values():
            for node in walk(tree):
                self.locals.update(locals_of(node))
        self.records = _records(self)
        self.linkable = {
            ref
            for ref, node in self.nodes.items()
            if ref in self.records
            or (isinstance(node, ast.FunctionDef) and not node.decorator_list and _is_plain(node))
        }
        self._executed: dict[str, ModuleType] = {}

    def meaning(self, module: str, name: str) -> Reference | None:
        """Where the thing is defined that a module knows by a global name; None if the module does not define it."""
        found = self.names[module].get(name) if module in self.names else (module, name)
        if found is None or found == (module, name):
            return found
        return self.meaning(*found)

    def value(self, ref: Reference) -> Any:
        """What a module's own code, executed now, makes of a name of it."""
        return getattr(self._execute(ref[0]), ref[1])

    def code(self, module: str) -> CodeType:
        """Compiled code of a whole module."""
        file = file_of(module)
        return finished(compile(self.trees[module], file, "exec", dont_inherit=True, optimize=2), file)

    def _execute(self, name: str) -> ModuleType:
        """The module, executed in a world of its own: this process may hold another version of it."""
        if name not in self.trees:
            return importlib.import_module(name)
        module = self._executed.get(name)
        if module is None:
            module = self._executed[name] = ModuleType(name)
            module.__dict__["__builtins__"] = {**builtins.__dict__, "__import__": self._import}
            exec(compile(self.trees[name], name, "exec", dont_inherit=True), module.__dict__)
        return module

    def _import(self, name: str, *rest: Any) -> ModuleType:
        return self._execute(name) if name in self.trees else __import__(name, *rest)


class _Lean(ast.NodeTransformer):
    """Drop annotations and imports for type checkers."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        arguments = node.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            argument.annotation = None
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                rest.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node


def _records(sources: Sources) -> dict[Reference, bool]:
    """The classes that a function can stand for, and whether they have properties."""
    compared = _compared(sources)
    found = {
        ref: node
        for ref, node in sources.nodes.items()
        if isinstance(node, ast.ClassDef) and ref not in compared and _is_plain_class(node)
    }
    classes = {
        ref: any(decorator_of(part) == "property" for _, part in members_of(node)) for ref, node in found.items()
    }
    sharing = [found[ref] for ref, has_properties in classes.items() if has_properties]
    named = Counter(name for node in sharing for name in [*_fields(node), *(name for name, _ in members_of(node))])
    return {
        ref: has_properties
        for ref, has_properties in classes.items()
        if not has_properties or all(named[name] == 1 for name, part in members_of(found[ref]) if name != "__init__")
    }


def _compared(sources: Sources) -> set[Reference]:
    """Definitions that are used otherwise than by calling them."""
    found = set()
    for module, tree in sources.trees.items():
        nodes = list(walk(tree))
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        known = sources.names[module] | {name: ref for node in nodes for name, ref in imported(node)}
        for node in nodes:
            if isinstance(node, ast.Name) and id(node) not in called and node.id in known:
                found.add(sources.meaning(*known[node.id]))
    return {ref for ref in found if ref is not None}


def _is_plain_class(node: ast.ClassDef) -> bool:
    if node.bases or node.keywords or node.decorator_list:
        return False
    for part in node.body:
        empty = isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        if isinstance(part, ast.FunctionDef):
            kind = decorator_of(part)
            if kind not in ("", "property", "staticmethod") or (part.name[:2] == "__" and part.name != "__init__"):
                return False
            if not _is_plain(part):
                return False
        elif not empty and not (isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)):
            return False
    private = [part.attr for part in walk(node) if isinstance(part, ast.Attribute)]
    init = dict(members_of(node)).get("__init__")
    return (
        bool(_fields(node))
        and isinstance(init, ast.FunctionDef)
        and not any(isinstance(part, ast.Return) for part in own_scope(init.body))
        and not any(name[:2] == "__" and name[-2:] != "__" for name in private)
    )


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether the function can live in another namespace."""
    return not any(
        isinstance(part, ast.Global) or (isinstance(part, ast.Name) and part.id in ("super", "__class__"))
        for part in walk(function)
    )


def members_of(node: ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef | ast.Assign]]:
    """Methods and constants of a class."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield part.name, part
        elif isinstance(part, ast.Assign):
            name = ast.unparse(part.targets[0])
            if name != "__slots__":
                yield name, part


def _fields(node: ast.ClassDef) -> list[str]:
    """The `__slots__` of a class."""
    for part in node.body:
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "__slots__":
            return list(ast.literal_eval(part.value))
    return []


def decorator_of(node: ast.AST) -> str:
    return " ".join(map(ast.unparse, node.decorator_list)) if isinstance(node, ast.FunctionDef) else ""


def _named(module: str, tree: ast.Module) -> dict[str, Reference]:
    """Where each global name of a module comes from."""
    found: dict[str, Reference] = {}
    for node in own_scope(tree.body):
        found |= {name: (module, name) for name in binds(node)}
        found |= imported(node)
    return found


def file_of(module: str) -> str:
    return module.replace(".", "/") + ".py"


def finished(code: CodeType, file: str) -> CodeType:
    """The code as part of a file, without what nobody looks at: positions in a line and the names of local variables.

    It keeps all positions if this Python has them in another form. A name costs 500 instructions when it is first read.
    """
    consts = tuple(finished(const, file) if isinstance(const, CodeType) else const for const in code.co_consts)
    arguments = (
        code.co_argcount
        + code.co_kwonlyargcount
        + bool(code.co_flags & CO_VARARGS)
        + bool(code.co_flags & CO_VARKEYWORDS)
    )
    names = [name if at < arguments or name in code.co_cellvars else "_" for at, name in enumerate(code.co_varnames)]
    code = code.replace(co_consts=consts, co_filename=file, co_qualname=code.co_name, co_varnames=tuple(names))
    lines = bytearray()
    last = code.co_firstlineno
    for start, end, line in code.co_lines():
        units = (end - start) // 2
        while units > 0:
            step = min(units, 8)
            units -= step
            lines.append(0x80 | (15 if line is None else 13) << 3 | step - 1)
            if line is not None:
                zigzag = (line - last) * 2 if line >= last else (last - line) * 2 + 1
                last = line
                while zigzag > 63:
                    lines.append(0x40 | zigzag & 63)
                    zigzag >>= 6
                lines.append(zigzag)
    lean = code.replace(co_linetable=bytes(lines))
    return lean if _lines(lean) == _lines(code) else code


def _lines(code: CodeType) -> list[int | None]:
    return [line for start, end, line in code.co_lines() for _ in range(start, end, 2)]
