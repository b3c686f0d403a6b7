"""Field cases, section L: MCP, other clients, features asked for. F184 is in `tests/cli/test_setup.py`, F197 in the tests of
the pages (`tests/mcp/test_docs.py`, `tests/cli/test_docs.py`). F188 is about Windows, F196 about what does not exist."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from gmhooks.mcp.tools import TOOLS
from gmhooks.memory.api import Memory
from gmhooks.store.create import prepare
from tests.cli.program import Place
from tests.hooks.project import Project
from tests.installed import CHECKOUT
from tests.mcp.desk import Desk

_NEWER_THAN_DRAFT_7 = {"$defs", "$dynamicRef", "dependentSchemas", "prefixItems", "unevaluatedItems", "minContains"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool["name"])
def test_f185_names_and_schemas_are_what_strict_clients_load(tool: dict[str, object]) -> None:
    assert re.fullmatch("[a-z_]{1,40}", str(tool["name"]))
    for key in ("inputSchema", "outputSchema"):
        schema = tool[key]
        assert isinstance(schema, dict)
        Draft7Validator.check_schema(schema)
        assert not _NEWER_THAN_DRAFT_7 & set(re.findall(r'"([$\w]+)":', json.dumps(schema)))
    takes = tool["inputSchema"]
    assert isinstance(takes, dict)
    assert (takes["type"], "oneOf" in takes) == ("object", False)


@pytest.mark.parametrize(("given", "count"), [("2", 2), ("9" * 5_000, 3), ("many", 3)])
def test_f187_a_number_sent_as_a_string_counts(desk: Desk, given: str, count: int) -> None:
    for text in ("one port", "two ports", "three ports"):
        desk.ok("memory_add", text=text)
    assert desk.ok("memory_search", query="port", top_k=given)["count"] == count


def test_f190_a_memory_moves_to_another_machine_and_back_to_the_byte(memory: Memory, tmp_path: Path) -> None:
    memory.remember("app", "déjà 日本語 🚀", confidence="verified")
    memory.remember("app", "Port is 1")
    memory.revise("Port is 1", "Port is 2", ["app"])
    memory.pin("Port is 2", ["app"])
    lines = [line.encode() for line in memory.export()]
    other = Memory(tmp_path / "there", tmp_path / "user-there")
    _prepare(other)
    assert other.import_lines(lines, dry_run=True).added == 3
    assert other.export() == []
    assert other.import_lines(lines).added == 3
    assert [line.encode() for line in other.export()] == lines
    assert other.import_lines(lines).changed is False


def test_f191_exports_of_two_machines_that_git_merged_are_one_memory(memory: Memory, tmp_path: Path) -> None:
    memory.remember("app", "Port is 1")
    memory.remember("app", "Stays")
    base = "".join(line + "\n" for line in memory.export())
    here, there = _continued(tmp_path / "here", base), _continued(tmp_path / "there", base)
    here.revise("Port is 1", "Port is 2", ["app"])
    here.recall("app", "stays")
    there.remember("app", "Written there")
    there.recall("app", "stays")
    there.recall("app", "stays")
    sides = {"here": "\n".join(here.export()) + "\n", "base": base, "there": "\n".join(there.export()) + "\n"}
    for name, text in sides.items():
        (tmp_path / f"{name}.jsonl").write_text(text)
    merge = ["git", "merge-file", "--union", "-p", *(f"{name}.jsonl" for name in sides)]
    merged = subprocess.run(merge, cwd=tmp_path, capture_output=True, check=True).stdout
    assert b"<<<<" not in merged
    united = Memory(tmp_path / "united", tmp_path / "user-united")
    _prepare(united)
    united.import_lines(merged.splitlines())
    assert sorted(fact.text for fact in united.list("app")) == ["Port is 2", "Stays", "Written there"]
    assert united.import_lines(merged.splitlines()).changed is False


def test_f193_what_the_client_notes_itself_is_never_written(place: Place) -> None:
    own = place.home / ".claude" / "projects" / "-somewhere" / "memory" / "MEMORY.md"
    own.parent.mkdir(parents=True)
    own.write_text("- a note of the client\n")
    before = own.stat()
    place.ok("init", "--hooks", "--quiet")
    settings = (place.project / ".claude" / "settings.local.json").read_text()
    assert "block_memory_write" not in settings
    launcher = str(place.user_dir / "gmhooks-hook")
    for event in ("session-start", "user-prompt", "pre-compact", "session-end"):
        payload = json.dumps({"session_id": "s", "cwd": str(place.project), "prompt": "remember: a fact for our own store"})
        done = subprocess.run([launcher, event], input=payload, env=place.env(), cwd=place.project, text=True, check=False)
        assert done.returncode == 0
    assert place.ok("list").out.count("\n") == 1
    assert (own.read_text(), own.stat().st_mtime_ns) == ("- a note of the client\n", before.st_mtime_ns)
    assert [path.name for path in (place.home / ".claude").rglob("*") if path.is_file()] == ["MEMORY.md"]


def test_f194_a_paused_memory_says_and_keeps_nothing_until_it_is_on_again(project: Project) -> None:
    project.add("Zeppelin hangars open at nine")
    assert project.prompt("memory off").message
    assert project.prompt("when do zeppelin hangars open?").stdout == b""
    assert "memory on" in project.prompt("remember: not while paused").message
    assert project.start(session="s2").stdout == b""
    assert project.prompt("memory on").message
    assert project.facts() == ["Zeppelin hangars open at nine"]
    assert project.prompt("when do zeppelin hangars open?").lines == ["Zeppelin hangars open at nine"]


def test_f199_the_first_lines_of_the_readme_say_what_it_is_for_whom_and_that_it_stays_here() -> None:
    first = (CHECKOUT / "README.md").read_text()[:420]
    for told in ("Claude Code", "Python package", "any language", "No server", "no network", "one folder of the project"):
        assert told.lower() in " ".join(first.split()).lower()
    assert "pip install" in (CHECKOUT / "README.md").read_text().partition("## Install")[2][:600]


def _prepare(memory: Memory) -> None:
    prepare(memory.data_dir, memory.user_dir)


def _continued(folder: Path, lines: str) -> Memory:
    made = Memory(folder, folder.with_name(f"user-{folder.name}"))
    _prepare(made)
    made.import_lines(lines.encode().splitlines())
    return made
