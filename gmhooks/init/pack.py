"""Build what makes hooks start fast: ordinary bytecode, and one file that holds the whole hot set ready to run.

The pack keeps the modules as they are, without docstrings, annotations and type-only imports. Modules that the same events
need at their start lie in one section; what is imported inside functions lies in sections of its own.
"""

from __future__ import annotations

import _imp
import ast
import compileall
import copy
import marshal
import os
import py_compile
import sys
import tempfile
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

from gmhooks import __version__ as VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HOT = ("text", "store", "recall", "hooks")
ENTRY = "gmhooks.hooks.main"
LOADER = "gmhooks.hooks.packed"
EVENTS = {
    "user-prompt": "gmhooks.hooks.prompt",
    "session-start": "gmhooks.hooks.start",
    "pre-compact": "gmhooks.hooks.compact",
    "session-end": "gmhooks.hooks.end",
}
READY = ("_imp", "_io", "_signal", "_thread", "marshal", "posix", "sys", "time")  # loaded in every interpreter
HEAD = 8192  # what a shim reads
_WANTED = Path(__file__).with_name("hot.txt")


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
    try:
        target.parent.mkdir(exist_ok=True)
        _compile(package, trusted=installed)
        _publish(target, content(package, full=installed))
    except (OSError, SyntaxError, ValueError) as error:
        say(f"no pack in {target.parent}: {error}")
        return None
    return target


def content(package: Path, *, full: bool) -> bytes:
    """The bytes of the pack: hash and head, then contents and sections, then these once more.

    Raises ValueError when the head is larger than a shim reads.
    """
    sources = Sources(package)
    index, sections = _layout(sources) if full else ({}, [])
    spans, at = b"", 0
    for section in sections:
        spans += at.to_bytes(4, "little") + len(section).to_bytes(4, "little")
        at += len(section)
    packages = ("gmhooks", *(f"gmhooks.{name}" for name in HOT)) if full else ()
    contents = marshal.dumps(("" if full else _folder_of_lmdb(), packages, READY, index, spans))
    seen = (package / "hooks" / "shim.py").stat()
    stamp = (VERSION, MAGIC_NUMBER, seen.st_mtime_ns, seen.st_size)
    head = marshal.dumps((sources.code(LOADER), stamp, HEAD, len(contents), len(contents) + at)).ljust(HEAD - 8, b"\0")
    if len(head) > HEAD - 8:
        raise ValueError(f"a head of {len(head)} bytes is more than a shim reads")
    return _imp.source_hash(0, head) + head + (contents + b"".join(sections)) * 2


class Sources:
    """The hot modules of one package folder, read once and cut down to what runs."""

    def __init__(self, package: Path) -> None:
        self.trees: dict[str, ast.Module] = {}
        for folder in HOT:
            for file in sorted((package / folder).glob("*.py")):
                if file.stem not in ("__init__", "shim"):
                    lean = _Lean().visit(ast.parse(file.read_bytes()))
                    self.trees[f"gmhooks.{folder}.{file.stem}"] = ast.fix_missing_locations(lean)
        self.ready = {*self.trees, *READY}
        self.wanted = set(_WANTED.read_text(encoding="utf-8").split())
        for name, tree in self.trees.items():
            tree.body = [self._record(name, node) or node for node in tree.body]
        self.needs = {name: self._imports(_executed(tree)) for name, tree in self.trees.items()}
        self.asks = {
            name: self._imports(set(ast.walk(tree)).difference(_executed(tree))) for name, tree in self.trees.items()
        }

    def code(self, name: str) -> CodeType:
        """Compiled code of a module; its file is named relative to the package."""
        return _compiled(self.trees[name], name)

    def split(self, name: str) -> tuple[CodeType, list[tuple[str, CodeType]]]:
        """Code of a module with stand-ins for the functions that an ordinary prompt does not call, and those functions.

        Imports from modules that are there by then become look-ups: an import statement costs twenty times as much.
        """
        late: list[tuple[str, CodeType]] = []

        def part(body: list[ast.stmt], prefix: str) -> list[ast.stmt]:
            kept: list[ast.stmt] = []
            for node in body:
                if isinstance(node, ast.ClassDef):
                    node = copy.copy(node)
                    node.body = part(node.body, f"{node.name}.")
                elif isinstance(node, ast.ImportFrom) and not prefix and node.module in self.ready:
                    kept += [
                        ast.parse(f"{name.asname or name.name} = _space[{node.module!r}][{name.name!r}]").body[0]
                        for name in node.names
                    ]
                    continue
                elif isinstance(node, ast.FunctionDef) and self._may_wait(f"{name}:{prefix}{node.name}", node):
                    late.append((prefix + node.name, _compiled(ast.Module([node], []), name)))
                    node = ast.parse(f"{node.name} = _late({prefix + node.name!r})").body[0]
                kept.append(node)
            return kept

        tree = self.trees[name]
        return _compiled(ast.Module(part(tree.body, ""), []), name), late

    def _record(self, module: str, node: ast.stmt) -> ast.stmt | None:
        """For a class that is nothing but fields: a function that makes a plain namespace with the same fields.

        Making a class costs as much as a thousand look-ups. None if the class is more than that, or not only called.
        """
        if not isinstance(node, ast.ClassDef) or node.bases or node.decorator_list:
            return None
        body = [part for part in node.body if not isinstance(part, (ast.Expr, ast.Pass, ast.Assign))]
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != "__init__":
            return None
        fields = [ast.unparse(part.targets[0]) for part in node.body if isinstance(part, ast.Assign)]
        if fields != ["__slots__"] or not self._only_called(module, node.name):
            return None
        made = copy.deepcopy(body[0])
        made.name = node.name
        itself = made.args.args.pop(0).arg
        made.body = [
            *ast.parse(f"{itself} = _record()").body,
            *made.body,
            *ast.parse(f"return {itself}").body,
        ]
        if f"{module}:{node.name}.__init__" in self.wanted:
            self.wanted.add(f"{module}:{node.name}")
        return made

    def _only_called(self, module: str, name: str) -> bool:
        for place, tree in self.trees.items():
            nodes = list(ast.walk(tree))
            imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == module]
            known = {part.asname or part.name for node in imports for part in node.names if part.name == name}
            if place == module:
                known.add(name)
            called = {node.func for node in nodes if isinstance(node, ast.Call)}
            if any(isinstance(node, ast.Name) and node.id in known and node not in called for node in nodes):
                return False
        return True

    def _may_wait(self, name: str, node: ast.FunctionDef) -> bool:
        if name in self.wanted or node.decorator_list:
            return False
        return not any(isinstance(part, ast.Name) and part.id in ("super", "__class__") for part in ast.walk(node))

    def closure(self, root: str) -> list[str]:
        """The module and all that its execution needs, dependencies first."""
        order: list[str] = []
        seen: set[str] = set()

        def visit(name: str) -> None:
            if name not in seen:
                seen.add(name)
                for needed in self.needs[name]:
                    visit(needed)
                order.append(name)

        visit(root)
        return order

    def roots(self) -> list[str]:
        """The entry, the runners, and what a module reachable from them imports inside its functions."""
        found = [ENTRY]
        for root in found:
            for name in self.closure(root):
                found += [later for later in self.asks[name] if later not in found]
        return found

    def _imports(self, nodes: Iterable[ast.AST]) -> list[str]:
        named = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
        return [name for name in dict.fromkeys(named) if name in self.trees]


def _layout(sources: Sources) -> tuple[dict[str, tuple[int, ...]], list[bytes]]:
    """The index (event or root module to section numbers, dependencies first) and the marshalled sections."""
    closures = {root: sources.closure(root) for root in sources.roots()}
    groups: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for name in dict.fromkeys(name for names in closures.values() for name in names):
        groups.setdefault(_group([root for root in closures if name in closures[root]]), []).append(name)
    ranked = sorted(groups)
    number = {name: at for at, group in enumerate(ranked) for name in groups[group]}
    index = {root: tuple(sorted({number[name] for name in names})) for root, names in closures.items()}
    for event, runner in {"": ENTRY, **EVENTS}.items():
        if runner in index:
            index[event] = index[runner]
    sections = [b""] * len(ranked)
    for at, group in enumerate(ranked):
        modules = []
        for name in groups[group]:
            code, late = sources.split(name)
            modules.append((name, code, len(sections) if late else 0))
            if late:
                sections.append(marshal.dumps(tuple(late)))
        sections[at] = marshal.dumps(tuple(modules))
    return index, sections


def _group(roots: list[str]) -> tuple[int, tuple[str, ...]]:
    """The section of what these roots need; a section sorts behind those that its modules import from.

    What the entry needs is loaded always; else the runners that need a module decide, since they load it at their start.
    """
    if ENTRY in roots:
        return (0, ())
    runners = tuple(sorted(set(EVENTS.values()) & set(roots)))
    return (10 - len(runners), runners) if runners else (1000 - len(roots), tuple(sorted(roots)))


def _executed(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when the module does: all but the bodies of functions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _compiled(tree: ast.Module, name: str) -> CodeType:
    ast.fix_missing_locations(tree)
    return _without_columns(compile(tree, name.replace(".", "/") + ".py", "exec", dont_inherit=True, optimize=2))


def _without_columns(code: CodeType) -> CodeType:
    """The code with line numbers only; as it was if this Python keeps them in another form."""
    consts = tuple(_without_columns(const) if isinstance(const, CodeType) else const for const in code.co_consts)
    code = code.replace(co_consts=consts)
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
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node


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
