"""The pack changes how fast hooks start and nothing else; a pack in doubt is no pack."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from gmhooks.init import pack
from tests.hooks.project import Project
from tests.init.packed_copy import PACKAGE, Copy, copied

WHERE = """
import sys
origin = "none"
module = sys.modules.get("gmhooks.hooks.main")
if module is not None:
    origin = "file" if getattr(module, "__file__", None) else "pack"
open({out!r}, "w").write(origin)
"""


@pytest.fixture
def site(tmp_path: Path) -> Copy:
    return copied(tmp_path / "site")


def origin(site: Copy, tmp_path: Path) -> str:
    """Where a hook run took its code from: `pack` or `file`. Asked at the last step, before the process ends."""
    out = tmp_path / "origin"
    original = site.shim.read_text()
    stat = site.shim.stat()
    probe = original.replace("    start(sys.argv)", "    exec(open(sys.argv[1]).read())")
    longer = len(probe) - len(original)
    first = original.split("\n", 1)[0]
    site.shim.write_text(probe.replace(first, first[: -3 - longer] + '"""'))
    assert site.shim.stat().st_size == stat.st_size
    os.utime(site.shim, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (tmp_path / "where.py").write_text(WHERE.format(out=str(out)))
    try:
        done = site.run(b"", str(tmp_path / "where.py"), cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        return out.read_text()
    finally:
        site.shim.write_text(original)
        os.utime(site.shim, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def answers(site: Copy, project: Project) -> list[bytes]:
    """What a short session gets, one answer a hook."""
    calls: list[tuple[str, str, dict[str, object]]] = [
        ("session-start", "SessionStart", {"source": "startup"}),
        ("user-prompt", "UserPromptSubmit", {"prompt": "where is the staging VPN profile"}),
        ("user-prompt", "UserPromptSubmit", {"prompt": "wie heißt das VPN-Profil für Ärzte?"}),
        ("user-prompt", "UserPromptSubmit", {"prompt": "forget: nothing of the kind"}),
        ("pre-compact", "PreCompact", {"trigger": "auto"}),
        ("session-end", "SessionEnd", {"reason": "other"}),
    ]
    env = {"PATH": "/usr/bin:/bin", "GRAYMATTER_CLOCK": "@1780000000"}
    found = []
    for word, name, fields in calls:
        payload = {"session_id": "s", "cwd": str(project.root), "hook_event_name": name, **fields}
        done = site.run(json.dumps(payload).encode(), f"--user-dir={project.user_dir}", word, cwd=project.root, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        found.append(done.stdout)
    return found


def without_ids(text: bytes) -> bytes:
    return re.sub(rb'k=."?[0-9a-f]+|\b[0-9A-HJKMNP-TV-Z]{6,26}\b', b"", text)


def test_packed_and_unpacked_hooks_give_the_same_answers(site: Copy, tmp_path: Path) -> None:
    said = []
    for name, packed in (("a", False), ("b", True)):
        home = tmp_path / name
        home.mkdir()
        project = Project(home, "same")
        project.add("The staging VPN profile is called corp-eu", "Ärzte nutzen das VPN-Profil praxis")
        if packed:
            assert pack.build(site.package) is not None
        said.append([without_ids(answer) for answer in answers(site, project)])
    assert said[0] == said[1]
    assert any(b"corp-eu" in answer for answer in said[1])


def test_a_built_pack_is_used(site: Copy, tmp_path: Path) -> None:
    assert origin(site, tmp_path) == "file"
    pack.build(site.package)
    assert origin(site, tmp_path) == "pack"


def damage_head(data: bytes) -> bytes:
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


def damage_section(data: bytes) -> bytes:
    return data[: pack.HEAD + 50] + bytes([data[pack.HEAD + 50] ^ 1]) + data[pack.HEAD + 51 :]


def cut_short(data: bytes) -> bytes:
    return data[: len(data) // 2 + pack.HEAD]


@pytest.mark.parametrize(
    "damage",
    [damage_head, damage_section, cut_short, lambda data: data[:50], lambda data: b"", lambda data: os.urandom(9000)],
)
def test_a_damaged_pack_falls_back_to_the_files_in_silence(site: Copy, tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    built = pack.build(site.package)
    assert built is not None
    built.write_bytes(damage(built.read_bytes()))
    assert origin(site, tmp_path) == "file"


def test_the_pack_of_another_installation_is_not_used(site: Copy, tmp_path: Path) -> None:
    other = copied(tmp_path / "other")
    os.utime(other.shim, ns=(1, 1))
    built = pack.build(other.package)
    assert built is not None
    pack.pack_path(site.package).parent.mkdir(exist_ok=True)
    shutil.copy(built, pack.pack_path(site.package))
    assert origin(site, tmp_path) == "file"


def test_the_pack_of_another_interpreter_is_not_used(
    site: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MAGIC_NUMBER", b"xxxx")
    pack.build(site.package)
    assert origin(site, tmp_path) == "file"


def test_a_folder_that_cannot_be_written_gives_no_pack_and_the_reason(site: Copy) -> None:
    folder = site.package / "hooks" / "__pycache__"
    shutil.rmtree(folder)
    folder.write_text("in the way")
    reasons: list[str] = []
    assert pack.build(site.package, reasons.append) is None
    assert "__pycache__" in reasons[0]


def test_sources_edited_in_place_are_not_packed(site: Copy, tmp_path: Path) -> None:
    (site.site / "lmdb").unlink()
    built = pack.build(site.package)
    assert built is not None
    assert built.stat().st_size < pack.HEAD + 1000
    assert origin(site, tmp_path) == "file"


def test_a_second_build_gives_the_same_bytes(site: Copy) -> None:
    first = pack.build(site.package)
    assert first is not None
    before = first.stat().st_size
    assert pack.build(site.package) == first
    assert first.stat().st_size == before


def test_no_module_lies_in_two_sections_and_none_before_what_it_needs() -> None:
    sources = pack.Sources(PACKAGE)
    index, _ = pack._layout(sources)
    placed: dict[str, int] = {}
    for root in sources.roots():
        for name in sources.closure(root):
            placed.setdefault(name, -1)
    for event, runner in pack.EVENTS.items():
        assert index[event] == index[runner]
        assert list(index[event]) == sorted(set(index[event]))
    for name in placed:
        closure = sources.closure(name)
        assert closure[-1] == name
        assert all(closure.index(needed) < closure.index(name) for needed in sources.needs[name])


def test_a_class_of_fields_alone_becomes_a_function_if_it_is_only_called(tmp_path: Path) -> None:
    package = tmp_path / "gmhooks"
    for folder in pack.HOT:
        (package / folder).mkdir(parents=True)
    fields = "    __slots__ = ('x',)\n    def __init__(self, x):\n        self.x = x\n"
    (package / "text" / "a.py").write_text(f"class A:\n{fields}\nclass B:\n{fields}\nclass C(A):\n{fields}\nB(1)\n")
    (package / "text" / "b.py").write_text("from gmhooks.text.a import B as D\ndef f(x): return D(isinstance(x, D))\n")
    tree = pack.Sources(package).trees["gmhooks.text.a"]
    assert [type(node).__name__ for node in tree.body[:3]] == ["ClassDef", "ClassDef", "ClassDef"]
    (package / "text" / "a.py").write_text(f"class A:\n{fields}\nclass B:\n{fields}\nA(1)\n")
    tree = pack.Sources(package).trees["gmhooks.text.a"]
    assert [type(node).__name__ for node in tree.body[:2]] == ["FunctionDef", "ClassDef"]
    assert ast.unparse(tree.body[0]) == "def A(x):\n    self = _record()\n    self.x = x\n    return self"


def test_nothing_cold_is_packed() -> None:
    sources = pack.Sources(PACKAGE)
    names = {name for root in sources.roots() for name in sources.closure(root)}
    assert names.isdisjoint({"gmhooks.hooks.finish", "gmhooks.store.create", "gmhooks.store.check"})


def test_the_list_of_hot_functions_is_not_out_of_date() -> None:
    known = set()
    for file in (file for folder in pack.HOT for file in (PACKAGE / folder).glob("*.py")):
        module = f"gmhooks.{file.parent.name}.{file.stem}"
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                known.add(f"{module}:{node.name}")
            if isinstance(node, ast.ClassDef):
                known |= {f"{module}:{node.name}.{sub.name}" for sub in node.body if isinstance(sub, ast.FunctionDef)}
    listed = set((PACKAGE / "init" / "hot.txt").read_text().split())
    assert len(listed) > 100
    gone = listed - known
    assert len(gone) < len(listed) / 10, "run `python -m tests.init.hot_functions > gmhooks/init/hot.txt` again"


def test_dropped_columns_leave_the_line_numbers() -> None:
    text = "def f(a):\n    b = a\n\n    return [b\n        for b in\n            a]\n" + "\n" * 300 + "x = 1\n"
    code = compile(text, "f.py", "exec")
    lean = pack._without_columns(code)
    assert pack._lines(lean) == pack._lines(code)
    assert len(lean.co_linetable) < len(code.co_linetable)
