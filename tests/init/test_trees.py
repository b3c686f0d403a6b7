"""Against `ast` and `symtable`, on every module of the hot set."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path

import pytest

from gmhooks.init.sources import HOT
from gmhooks.init.trees import Comprehension, copied, locals_of, placed, walk

PACKAGE = Path(__file__).resolve().parents[2] / "gmhooks"
FILES = [file for folder in HOT for file in sorted((PACKAGE / folder).glob("*.py"))]
SHAPES = '''
def outer(a, /, b, *rest, c=1, **more):
    import x.y, z as w
    from p import q as r
    [n for n, _ in rest if (seen := n)]
    def inner(): return a
    class Kind: field = 1
    try: global_read
    except ValueError as error: print(error)
    match a:
        case {"k": v, **others}: return v, others
        case [first, *tail] as whole: return first, tail, whole
    for i in b: del i
    with b as entered: pass
    return lambda d, e=2: (d, e)
'''


def trees() -> list[tuple[str, str]]:
    return [(file.name, file.read_text(encoding="utf-8")) for file in FILES] + [("shapes", SHAPES)]


@pytest.mark.parametrize(("name", "source"), trees(), ids=lambda value: value if value.endswith(".py") else "")
def test_a_copy_is_equal_and_shares_no_node_with_fields(name: str, source: str) -> None:
    tree = ast.parse(source, name)
    copy = copied(tree)

    assert ast.dump(copy, include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert not {id(node) for node in walk(copy)} & {id(node) for node in walk(tree)}


def test_walk_meets_every_node_that_has_fields() -> None:
    for name, source in trees():
        tree = ast.parse(source, name)
        assert {id(node) for node in walk(tree)} == {id(node) for node in ast.walk(tree) if node._fields}


def test_new_nodes_get_the_line_of_the_one_above() -> None:
    tree = ast.parse("def f():\n    return 1\n")
    tree.body[0].body[0].value = ast.Call(ast.Name("g", ast.Load()), [], [])  # type: ignore[attr-defined]

    call = placed(tree).body[0].body[0].value

    assert (call.lineno, call.func.lineno) == (2, 2)
    compile(tree, "", "exec")


def test_the_locals_of_a_function_are_those_that_python_sees() -> None:
    for name, source in trees():
        seen: dict[tuple[str, int], set[str]] = {}
        waiting = [symtable.symtable(source, name, "exec")]
        while waiting:
            table = waiting.pop()
            waiting += table.get_children()
            if isinstance(table, symtable.Function):
                seen[table.get_name(), table.get_lineno()] = {
                    symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()
                }
        functions = [node for node in walk(ast.parse(source, name)) if isinstance(node, ast.FunctionDef)]

        assert functions or name == "__init__.py" or not seen, name
        for node in functions:
            # Python 3.12 and newer count what a comprehension binds for the function around it.
            inlined = {bound for part in walk(node) if isinstance(part, Comprehension) for bound in locals_of(part)}
            assert locals_of(node) - inlined == seen[node.name, node.lineno] - inlined, (name, node.name)
