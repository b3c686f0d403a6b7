"""A unit is its modules' functions under one roof: every name means what it means in its own module."""

from __future__ import annotations

import builtins
import dis
import marshal
import sys
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, MethodType, SimpleNamespace
from typing import Any

import pytest

from gmhooks.init import link, pack
from gmhooks.init.link import Part, Unit
from gmhooks.init.sources import HOT, Sources, finished
from tests.init.packed_copy import PACKAGE

FIELDS = "    __slots__ = ('x',)\n    def __init__(self, x):\n        self.x = x\n"


@pytest.fixture(scope="module")
def real() -> Sources:
    return Sources(PACKAGE)


def sources(tmp_path: Path, **modules: str) -> Sources:
    """Sources of a small package; `start` in `main` is the entry."""
    package = tmp_path / "gmhooks"
    for folder in HOT:
        (package / folder).mkdir(parents=True)
    for name, text in modules.items():
        (package / "hooks" / f"{name}.py").write_text(text)
    return Sources(package)


def run(unit: Unit, *args: object, read: list[int] | None = None) -> Any:
    """Call the entry of a unit as the loader does; `_late` gives the names that it was asked for.

    `read` is given the numbers of the cold parts that are read."""
    space: dict[str, Any] = dict(unit.ready.values)
    fetched: dict[int, str] = {}

    def cold(number: int) -> Any:
        if number not in fetched:
            part, names = unit.cold[number]
            for key, value in part.values.items():
                space.setdefault(key, value)
            exec(part.code, space)
            fetched.update(names)
            if read is not None:
                read.append(number)
        return space[fetched[number]]

    def rest(place: tuple[object, int], *more: object) -> Any:
        return cold(place[1])(place[0], *more)

    space.update(_cold=cold, _rest=rest, _record=SimpleNamespace, _bound=MethodType, _modules=sys.modules)
    space["_late"] = lambda module, name: f"{module}:{name}"
    exec(unit.ready.code, space)
    return space[unit.entry](*args)


def hot(*names: str) -> list[str]:
    return [f"gmhooks.hooks.{name}" for name in names]


HOT_LISTS = [hot("main:start"), hot("main:start", "other:same", "other:K.__init__", "other:K.m", "other:twice")]


@pytest.mark.parametrize("listed", HOT_LISTS, ids=["all cold", "all hot"])
def test_names_that_clash_keep_their_meaning(tmp_path: Path, listed: list[str]) -> None:
    main = (
        "from gmhooks.hooks.other import same as theirs\n"
        "LIMIT = 1\n"
        "def same(x): return ('main', x, LIMIT)\n"
        "def start(list):\n"
        "    from gmhooks.hooks.other import same as inner\n"
        "    theirs_too = [theirs(same) for same in list]\n"
        "    return same(0), theirs_too, inner(5), (lambda same: same + LIMIT)(1)\n"
    )
    other = "LIMIT = [2]\ndef same(x, y=LIMIT): return ('other', x, LIMIT[0], y)\n"
    unit = Unit(sources(tmp_path, main=main, other=other), listed)
    assert run(unit, [3]) == (("main", 0, 1), [("other", 3, 2, [2])], ("other", 5, 2, [2]), 2)


@pytest.mark.parametrize("listed", HOT_LISTS, ids=["all cold", "all hot"])
def test_records_have_fields_constants_methods_and_properties(tmp_path: Path, listed: list[str]) -> None:
    main = (
        "from gmhooks.hooks.other import K\n"
        "def start():\n    k = K(3)\n    k.x += 1\n    return k.x, k.C, k.m(2), k.double, k.s(7), k.absent()\n"
    )
    other = (
        "def twice(x): return 2 * x\n"
        f"class K:\n    'Doc.'\n    C = 9\n{FIELDS}"
        "    def m(self, y): return self.x * y\n"
        "    def absent(self): return self.m(1)\n"
        "    @property\n    def double(self): return twice(self.x)\n"
        "    @staticmethod\n    def s(y): return twice(y)\n"
    )
    assert run(Unit(sources(tmp_path, main=main, other=other), listed)) == (4, 9, 8, 8, 14, 4)


def test_a_class_that_is_compared_or_inherits_is_the_real_one(tmp_path: Path) -> None:
    main = (
        f"class Plain:\n{FIELDS}\nclass Compared:\n{FIELDS}\nclass Sub(Plain):\n    pass\nclass Mine(Exception):\n    pass\n"
        f"class Used:\n{FIELDS}\n"
        "def start(): return Compared, Mine, Used\ndef f(x): return Compared(x), Used(x), Plain(x)\n"
    )
    found = sources(tmp_path, main=main)
    assert found.records == {}
    assert run(Unit(found, hot("main:start"))) == tuple(
        f"gmhooks.hooks.main:{name}" for name in ("Compared", "Mine", "Used")
    )


def test_properties_with_one_name_keep_both_classes_real(tmp_path: Path) -> None:
    prop = "    @property\n    def p(self): return 1\n"
    main = f"class A:\n{FIELDS}{prop}\nclass B:\n{FIELDS}{prop}\nclass C:\n{FIELDS}\ndef start(): return A(1), B(1), C(1)\n"
    assert set(sources(tmp_path, main=main).records) == {("gmhooks.hooks.main", "C")}


def test_a_function_that_is_passed_on_is_ready_and_a_called_one_waits(tmp_path: Path) -> None:
    main = "def given(): return 1\ndef called(): return 2\ndef start(): return [f() for f in (given,)], called()\n"
    unit = Unit(sources(tmp_path, main=main), hot("main:start"))
    assert [names for _, names in unit.cold] == [{0: "called"}]
    assert run(unit) == ([1], 2)


def test_a_cold_function_may_call_itself_and_others(tmp_path: Path) -> None:
    main = (
        "def odd(n): return even(n - 1) if n else False\ndef even(n): return odd(n - 1) if n else True\n"
        "def deep(n): return deep(n - 1) + 1 if n else 0\ndef start(n): return odd(n), deep(n)\n"
    )
    assert run(Unit(sources(tmp_path, main=main), hot("main:start")), 7) == (True, 7)


def test_a_group_is_read_at_once_by_what_leads_to_it_and_singly_by_others(tmp_path: Path) -> None:
    main = (
        f"class K:\n{FIELDS}    def m(self): return self.x + inner()\n    def rare(self): return -1\n"
        "def inner(): return 2\ndef seldom(): return 3\n"
        "def lead(): return K(1).m() + inner()\ndef other(): return seldom() + inner()\n"
        "def start(*asked): return [lead() if name == 'lead' else other() for name in asked]\n"
    )
    group = {("gmhooks.hooks.main", "lead"): set(hot("main:lead", "main:K.__init__", "main:K.m", "main:inner"))}
    unit = Unit(sources(tmp_path, main=main), hot("main:start"), (), group)
    lead = next(number for number, (part, _) in enumerate(unit.cold) if part.gathers)
    led: list[int] = []
    single: list[int] = []

    assert run(unit, "lead", "lead", read=led) == [5, 5]
    assert led == [lead]
    assert run(unit, "other", read=single) == [5]
    assert lead not in single
    assert len(single) == 3
    assert run(unit, "other", "lead", "other") == [5, 5, 5]


def test_names_of_a_class_in_a_function_are_not_seen_in_its_methods(tmp_path: Path) -> None:
    main = (
        "x = [1]\ndef start():\n"
        "    class A:\n        x = 2\n        y = x\n        def f(self): return x\n"
        "    return A.y, A().f()\n"
    )
    assert run(Unit(sources(tmp_path, main=main), hot("main:start"))) == (2, [1])


def test_the_runner_of_another_event_is_not_linked(tmp_path: Path) -> None:
    main = "def start():\n    from gmhooks.hooks.other import run\n    return run\n"
    found = sources(tmp_path, main=main, other="def run(): return 1\n")
    assert run(Unit(found, hot("main:start"), {"gmhooks.hooks.other"})) == "gmhooks.hooks.other:run"


def test_a_module_that_is_not_always_loaded_may_not_be_a_global_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="select is not loaded"):
        Unit(sources(tmp_path, main="import select\ndef start(): return select.select\n"), hot("main:start"))


def globals_of(code: CodeType) -> set[str]:
    found = {str(step.argval) for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(globals_of(const) for const in code.co_consts if isinstance(const, CodeType)))


@pytest.mark.parametrize("event", pack.EVENTS)
def test_every_global_name_of_a_unit_is_there_when_it_is_used(real: Sources, event: str) -> None:
    unit = pack.unit_of(real, event)
    ready = {*dir(builtins), *link.PROVIDED, link.CLASS, *unit.ready.names}
    parts: Iterable[Part] = (unit.ready, *(part for part, _ in unit.cold))
    for part in parts:
        assert globals_of(part.code) <= ready | part.names
        assert marshal.loads(marshal.dumps(part.values)) == part.values
    assert len(unit.ready.names) > 100
    assert not [name for name in unit.ready.names if name.endswith("Error")]


def test_code_keeps_the_files_and_lines_of_its_source(real: Sources) -> None:
    unit = pack.unit_of(real, "user-prompt")
    codes = {const.co_name: const for const in unit.ready.code.co_consts if isinstance(const, CodeType)}
    lines = (PACKAGE / "hooks" / "prompt.py").read_text().splitlines()
    assert codes["_shown"].co_filename == "gmhooks/hooks/prompt.py"
    assert lines[codes["_shown"].co_firstlineno - 1].startswith("def _shown(")


def test_dropped_columns_leave_the_line_numbers() -> None:
    text = "def f(a):\n    b = a\n\n    return [b\n        for b in\n            a]\n" + "\n" * 300 + "x = 1\n"
    code = compile(text, "f.py", "exec")
    lean = finished(code, "g.py")
    assert [line for *_, line in lean.co_lines()][-1] == [line for *_, line in code.co_lines()][-1]
    assert len(lean.co_linetable) < len(code.co_linetable)
    assert lean.co_filename == "g.py"


def test_one_part_holds_ordinary_saves(real: Sources) -> None:
    (part,) = (part for part, _ in pack.unit_of(real, "user-prompt").cold if part.gathers)
    assert {"obey", "parse", "admit", "set_aside", "open_write", "add"} <= {name.rstrip("'") for name in part.files}
    assert not [name for name in part.files if name in ("finish", "create", "repair")]


def test_nothing_cold_is_linked(real: Sources) -> None:
    for event in pack.EVENTS:
        unit = pack.unit_of(real, event)
        files = {file for part in (unit.ready, *(part for part, _ in unit.cold)) for file in part.files.values()}
        assert files.isdisjoint({"gmhooks/hooks/finish.py", "gmhooks/store/create.py", "gmhooks/store/check.py"})
