"""Syntax trees for the linker: walk them, copy them, give every node a place, and tell which names a scope binds.

`ast` has the first three too, but a pack is built at every install, and there they were two thirds of its time.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Reference = tuple[str, str]  # module and name; the module itself if the name is empty
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOCALS = "local names"  # an attribute of the nodes of scopes
_Node = ast.AST


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it that have fields, in any order; `ast.walk` takes four times as long."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _children(node)


def _children(node: ast.AST) -> list[ast.AST]:
    found = []
    own = node.__dict__
    for name in node._fields:
        value = own.get(name)
        if type(value) is list:
            found += [part for part in value if isinstance(part, _Node) and part._fields]
        elif isinstance(value, _Node) and value._fields:
            found.append(value)
    return found


def copied(node: ast.AST) -> Any:
    """A deep copy of a syntax tree, with its places and names of locals; `copy` takes twenty times as long."""
    made = type(node).__new__(type(node))
    own = made.__dict__
    for name, value in node.__dict__.items():
        if type(value) is list:
            own[name] = [copied(part) if isinstance(part, _Node) else part for part in value]
        else:
            own[name] = copied(value) if isinstance(value, _Node) and value._fields else value
    return made


def placed(node: ast.AST, line: int = 1) -> Any:
    """The same tree, where nodes without a place have the line of the one above; columns are of no use to us."""
    own = node.__dict__
    if "lineno" in own:
        line = own["lineno"]
    elif "lineno" in node._attributes:
        own.update(lineno=line, end_lineno=line, col_offset=0, end_col_offset=0)
    for part in _children(node):
        placed(part, line)
    return node


def locals_of(node: ast.AST) -> set[str] | frozenset[str]:
    """The names that are local to a function, a comprehension or, as a frozenset, a class; none of another node.

    A scope keeps them, and its copies have them too."""
    if not isinstance(node, _SCOPES):
        return set()
    found: set[str] | frozenset[str] | None = node.__dict__.get(_LOCALS)
    if found is None:
        found = node.__dict__[_LOCALS] = _bound_in(node)
    return found


def _bound_in(node: ast.AST) -> set[str] | frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        arguments = [part.arg for part in walk(node.args) if isinstance(part, ast.arg)]
        body = node.body if isinstance(node.body, list) else [node.body]
        return {*arguments, *(name for part in own_scope(body) for name in binds(part))}
    if isinstance(node, ast.ClassDef):
        return frozenset(name for part in own_scope(node.body) for name in binds(part))
    assert isinstance(node, Comprehension)
    return {name for part in node.generators for inner in walk(part.target) for name in binds(inner)}


def own_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of one scope, without those of the scopes in it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Comprehension):
            waiting += [part.target for part in walk(node) if isinstance(part, ast.NamedExpr)]
        elif not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += _children(node)


def binds(node: ast.AST) -> list[str]:
    """The names that a node binds in its scope."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    return [name for name, _ in imported(node)]


def imported(node: ast.AST) -> list[tuple[str, Reference]]:
    """Names that an import statement binds, and what each stands for."""
    if isinstance(node, ast.ImportFrom):
        return [(part.asname or part.name, (str(node.module), part.name)) for part in node.names]
    if isinstance(node, ast.Import):
        modules = [(part.asname, part.name) if part.asname else (part.name.partition(".")[0],) * 2 for part in node.names]
        return [(name, (module, "")) for name, module in modules]
    return []
