"""Our server in every client's file: the documented entry, an exact edit, an exact removal, and nothing of others lost."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmhooks.init import jsonc
from gmhooks.init.catalogue import catalogue, chosen, picked
from gmhooks.init.clients.client import NAME, Client, Where
from gmhooks.init.entry import Wanted
from gmhooks.init.json_entry import JsonEditor
from gmhooks.init.ledger import Trace
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import register, unregister
from gmhooks.init.toml_entry import TomlEditor
from tests.init.documents import scattered, settings_values
from tests.shared_material import SHARED, needs_shared

GOLDEN = Path(__file__).parent / "clients"
CLIENTS = {client.id: client for client in catalogue()}
OURS: dict[str, object] = {"command": "/own/gmhooks-mcp", "args": ["--prepared-only"]}


@pytest.fixture
def where(tmp_path: Path) -> Where:
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    return Where(str(tmp_path / "project"), str(tmp_path / "home" / "own"), str(tmp_path / "home"))


def place(client: Client, where: Where, data: bytes) -> Path:
    path = Path(client.path(where))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def version(file: Path) -> tuple[int, int]:
    """Which file it is and when it was last written."""
    held = file.stat()
    return held.st_ino, held.st_mtime_ns


def golden(client: str, name: str, where: Where) -> bytes:
    (path,) = (GOLDEN / client).glob(f"{name}.*")
    return path.read_bytes().replace(b"@OWN@", where.user_dir.encode())


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_golden_files_of_the_client(client: Client, where: Where) -> None:
    assert (GOLDEN / client.id / "SOURCE").read_text().strip() == client.documentation

    assert register(client, where).outcome == "created"
    path = Path(client.path(where))
    assert path.read_bytes() == golden(client.id, "created", where)
    assert unregister(client, where).outcome == "removed"
    assert not path.exists()

    place(client, where, golden(client.id, "before", where))
    assert register(client, where).outcome == "updated"
    assert path.read_bytes() == golden(client.id, "after", where)
    held = version(path)
    assert register(client, where).outcome == "unchanged"
    assert version(path) == held
    assert unregister(client, where).outcome == "removed"
    assert path.read_bytes() == golden(client.id, "before", where)


def test_m23_every_client_has_its_own_id_title_place_and_golden_folder(where: Where) -> None:
    every = catalogue()

    assert [client.id for client in every] == [
        "claudecode", "cursor", "codex", "opencode", "windsurf", "vscodecopilot", "antigravity",
    ]  # fmt: skip
    assert len({client.title for client in every}) == len({client.path(where) for client in every}) == len(every)
    assert {path.name for path in GOLDEN.iterdir()} == set(CLIENTS)
    assert [client.id for client in every if client.opt_in] == ["antigravity"]


def test_f100_directories_named_by_the_environment_are_honoured(where: Where, tmp_path: Path) -> None:
    names = ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME")
    named = Where(where.root, where.user_dir, where.home, {name: str(tmp_path / name) for name in names})

    assert CLIENTS["codex"].path(named) == str(tmp_path / "CODEX_HOME" / "config.toml")
    own = [client.own_file(named) for client in CLIENTS.values() if client.own_file is not None]
    assert own == [
        str(tmp_path / "CLAUDE_CONFIG_DIR" / "CLAUDE.md"),
        str(tmp_path / "XDG_CONFIG_HOME" / "opencode" / "AGENTS.md"),
    ]


def test_m16_clients_are_chosen_by_id_in_any_case() -> None:
    def ids(only: str | None, *skipped: str, antigravity: bool = False) -> list[str]:
        return [client.id for client in chosen(only, skipped, antigravity=antigravity)]

    assert ids(" Claudecode, Cursor ,codex") == ["claudecode", "cursor", "codex"]
    assert ids("") == [id for id in CLIENTS if id != "antigravity"]
    assert ids(None, "codex", antigravity=True) == [id for id in CLIENTS if id != "codex"]
    assert ids("codex", "codex") == ["codex"]
    with pytest.raises(ValueError, match=r"no client bogus; valid ids are claudecode, cursor"):
        ids("opencode,bogus")


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("1", [1]), ("3", [3]), ("1,3,5", [1, 3, 5]), ("1 3 5", [1, 3, 5]), ("1, 3,5", [1, 3, 5]), ("5 1 5", [1, 5]),
        ("", []), ("0", []), ("0,1", None), ("1,x", None), ("99", None), ("²", None),
    ],
)  # fmt: skip
def test_m17_m19_the_wizard_understands_numbers(line: str, numbers: list[int] | None) -> None:
    found = picked(line)

    assert (None if found is None else [catalogue().index(client) + 1 for client in found]) == numbers


@pytest.mark.parametrize("value", [{"url": "https://x/mcp"}, {"command": "mine", "args": [], "env": {"GM_DIR": "/x"}}, {}])
@pytest.mark.parametrize("client", ["claudecode", "cursor", "opencode"])
def test_m25_f094_an_entry_of_our_name_that_is_not_ours_is_preserved(client: str, value: object, where: Where) -> None:
    data = json.dumps({CLIENTS[client].table: {NAME: value}}).encode()
    path = place(CLIENTS[client], where, data)
    held = version(path)

    assert register(CLIENTS[client], where).outcome == "preserved"
    assert unregister(CLIENTS[client], where).outcome == "preserved"
    assert (path.read_bytes(), version(path)) == (data, held)


def test_an_older_entry_of_ours_is_brought_up_to_date(where: Where) -> None:
    client = CLIENTS["codex"]
    register(client, where)
    moved = Where(where.root, where.user_dir, where.home, {}, "/elsewhere/store")

    assert register(client, moved).outcome == "updated"
    held = tomllib.loads(Path(client.path(where)).read_text())
    assert held["mcp_servers"][NAME]["args"] == ["--prepared-only", "--dir=/elsewhere/store"]
    assert unregister(client, where).outcome == "removed"


def test_m26_replacing_an_entry_changes_only_it_and_keeps_its_secret_nowhere(where: Where, tmp_path: Path) -> None:
    client = CLIENTS["opencode"]
    data = (
        b'{\r\n  // mine\r\n  "mcp": {\r\n    "a": {"type": "remote"},\r\n'
        b'    "graymatter": {"type": "remote", "headers": {"x": "HUSHHUSH"}}, // ours\r\n    "z": {},\r\n  },\r\n}\r\n'
    )
    path = place(client, where, data)

    assert register(client, where, replace=True).outcome == "updated"

    new = path.read_bytes()
    before, after = data.split(b'{"type": "remote", "headers": {"x": "HUSHHUSH"}}')
    assert new.startswith(before)
    assert new.endswith(after)
    assert b"\n" not in new.replace(b"\r\n", b"")
    assert register(client, where, replace=True).outcome == "unchanged"
    assert not any(b"HUSHHUSH" in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


TOML_OLD = b"""\
# mine
[mcp_servers.graymatter] # ours
command = "/other" # secret
args = [
  "x", # HUSHHUSH
]

[mcp_servers.graymatter.env]
KEY = "HUSHHUSH"

[tui]
theme = "dark"
"""


def test_m26_replacing_a_table_takes_its_sub_tables_along(where: Where) -> None:
    path = place(CLIENTS["codex"], where, TOML_OLD)
    assert register(CLIENTS["codex"], where).outcome == "preserved"

    assert register(CLIENTS["codex"], where, replace=True).outcome == "updated"

    new = path.read_text()
    assert "HUSHHUSH" not in new
    assert new.startswith("# mine\n[mcp_servers.graymatter]\ncommand = ")
    assert new.endswith('args = ["--prepared-only"]\n\n[tui]\ntheme = "dark"\n')


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers."a.b"]\ncommand = "x"\n',
        'x = """\n[mcp_servers.graymatter]\n\\"\\"\\" still\n"""\n[tui]\n',
        "x = '''\n[mcp_servers.graymatter]\n'''",
        'x = """a"""""\r\n[[profiles]]\r\nname = "b"\r\n',
        "a = [\n  [1, 2],\n  # [x]\n]\n",
        "x = nan\n",
        "d = 1979-05-27T07:32:00Z\n# last words",
    ],
)
def test_m28_f092_a_table_is_added_to_any_toml_and_taken_out_again(text: str, where: Where) -> None:
    path = place(CLIENTS["codex"], where, text.encode())

    assert register(CLIENTS["codex"], where).outcome == "updated"
    new = path.read_bytes().decode()
    assert new.startswith(text)
    assert tomllib.loads(new)["mcp_servers"][NAME]["args"] == ["--prepared-only"]
    if "\r\n" in text:
        assert "\n" not in new.replace("\r\n", "")
    assert unregister(CLIENTS["codex"], where).outcome == "removed"
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('mcp_servers = { a = { command = "x" } }\n', "inline_table"),
        ("mcp_servers = 1\n", "wrong_type"),
        ("a = \n", "invalid_toml"),
        ("a = 1\na = 2\n", "invalid_toml"),
    ],
)
def test_a_toml_file_that_cannot_take_a_table_is_refused(text: str, code: str, where: Where) -> None:
    path = place(CLIENTS["codex"], where, text.encode())

    report = register(CLIENTS["codex"], where)

    assert (report.outcome, report.reason, path.read_text()) == ("refused", code, text)
    assert f"config.toml, line {report.line}" in report.message


def test_m28_an_inline_entry_is_preserved_and_not_replaceable(where: Where) -> None:
    text = '[mcp_servers]\ngraymatter = { command = "x" }\n'
    path = place(CLIENTS["codex"], where, text.encode())

    assert register(CLIENTS["codex"], where).outcome == "preserved"
    assert register(CLIENTS["codex"], where, replace=True).reason == "inline_table"
    assert path.read_text() == text


def test_a_comment_behind_the_last_value_keeps_its_line(where: Where) -> None:
    data = b'{\n  // my model\n  "model": "opus" // trailing\n}\n'
    path = place(CLIENTS["opencode"], where, data)

    register(CLIENTS["opencode"], where)

    new = path.read_text()
    assert new.startswith('{\n  "mcp": {\n    "graymatter": {')
    assert new.endswith('  },\n  // my model\n  "model": "opus" // trailing\n}\n')
    unregister(CLIENTS["opencode"], where)
    assert path.read_bytes() == data


@st.composite
def json_files(draw: st.DrawFn) -> tuple[bytes, bool]:
    """A JSON or JSONC file, sometimes with servers of others, in a random layout."""
    import random

    value: dict[str, Any] = draw(settings_values())
    value.pop("mcp", None)
    if draw(st.booleans()):
        value["mcp"] = draw(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.just({"command": "x"}), max_size=2))
    comments = draw(st.booleans())
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    if draw(st.booleans()):
        text = scattered(value, random.Random(draw(st.integers(0, 2**32))), eol, comments=comments)
    else:
        text = json.dumps(value, indent=draw(st.sampled_from([None, 2, "\t"]))).replace("\n", eol)
    return (text + draw(st.sampled_from(["", eol]))).encode(), comments


@settings(max_examples=300, deadline=None)
@given(json_files())
def test_p8_generated_json_gets_its_bytes_back(case: tuple[bytes, bool]) -> None:
    data, comments = case
    wanted = Wanted("mcp", NAME, OURS)
    editor = JsonEditor(comments=comments)
    done = editor.put(data, wanted, None)
    assert done.data is not None

    text = done.data.decode()
    value = jsonc.value_of(text, jsonc.parse(text, comments=comments))
    assert isinstance(value, dict)
    assert value["mcp"][NAME] == OURS
    assert editor.put(done.data, wanted, done.trace).outcome == "unchanged"
    assert editor.take(done.data, wanted, done.trace).data == data


_TOML_ROWS = st.sampled_from(
    [
        "", "# note", "[tui]", "x = 1", 'y = "[a]" # b', "[[p]]", "name = 'n'", 'z = """\n[q]\n"""', "[mcp_servers.a]",
        'command = "c"', "l = [\n 1,\n\n 2 ]", "[a.'b c']", "mcp_servers.q.command = 'd'", "  [indented]", "\tt = {u = 1}",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(_TOML_ROWS, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_p8_generated_toml_gets_its_bytes_back_or_is_refused(rows: list[str], eol: str, ended: bool) -> None:
    data = (eol.join(rows).replace("\r\n", "\n").replace("\n", eol) + (eol if ended else "")).encode()
    wanted = Wanted("mcp_servers", NAME, OURS)
    try:
        done = TomlEditor().put(data, wanted, None)
    except Refusal:
        return
    assert done.data is not None

    assert tomllib.loads(done.data.decode()) == {
        **(held := tomllib.loads(data.decode())),
        "mcp_servers": {**held.get("mcp_servers", {}), NAME: OURS},
    }
    assert TomlEditor().put(done.data, wanted, done.trace).outcome == "unchanged"
    assert TomlEditor().take(done.data, wanted, Trace()).data == data


_FOLDER = SHARED / "corpora" / "settings" if SHARED else None
_CASES = (
    [case for case in json.loads((_FOLDER / "index.json").read_text("utf-8"))["cases"] if case["action"] == "init_mcp"]
    if _FOLDER
    else []
)
_TARGETS = {"mcp-json": "claudecode", "vscode-mcp": "vscodecopilot", "opencode-jsonc": "opencode", "codex-toml": "codex"}


@needs_shared
@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_case_ends_as_the_corpus_says(case: dict[str, Any], where: Where) -> None:
    assert _FOLDER is not None
    expect, client, setup = case["expect"], CLIENTS[_TARGETS[case["target"]]], case.get("setup", {})
    data = (_FOLDER / case["file"]).read_bytes()
    path = place(client, where, data)
    for name, content in setup.get("extra_files", {}).items():
        (path.parent / name).write_text(content)
    if "mode" in setup:
        path.chmod(int(setup["mode"], 8))

    report = register(client, where)

    outcomes = expect["outcome"] if isinstance(expect["outcome"], list) else [expect["outcome"]]
    word = {"created": "changed", "updated": "changed", "preserved": "unchanged"}.get(report.outcome, report.outcome)
    assert word in outcomes, report.message
    if word == "refused":
        assert report.reason == expect["reason"]
        assert report.line == expect.get("line", report.line)
        assert report.pointer == expect.get("pointer", report.pointer)
    if word != "changed":
        assert path.read_bytes() == data
        return
    new = path.read_bytes()
    if expect.get("preserves_lines"):
        assert all(line + b"," in new or line in new for line in data.splitlines() if line.strip(b"{} "))
    assert expect.get("reports", "two_files") in ["two_files", *report.warnings]
    assert ("two_files" in report.warnings) == ("reports" in expect)
    if "mode" in expect:
        assert path.stat().st_mode & 0o777 == int(expect["mode"], 8)
    if expect.get("bom"):
        assert new.startswith(b"\xef\xbb\xbf")
    held = version(path)
    assert register(client, where).outcome == "unchanged"
    assert version(path) == held
    assert unregister(client, where).outcome == "removed"
    assert path.read_bytes() == data
    assert os.listdir(path.parent)
