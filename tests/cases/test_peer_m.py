"""Peer cases, area M: init. The cases of clients, wizard and flags are in `tests/cli/test_setup.py` and `tests/init`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gmhooks.context.protocol import block
from gmhooks.init import publish
from gmhooks.init.catalogue import chosen
from gmhooks.init.clients.client import Where
from gmhooks.init.servers import register
from gmhooks.init.setup import Choice, Setup
from tests.cli.program import Place

_BEGIN = "<!-- graymatter:instructions:begin -->"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home", tmp_path / "home" / "my-app")
    (made.project / ".git").mkdir(parents=True)
    return made


@pytest.fixture
def where(place: Place) -> Where:
    return Where(str(place.project), str(place.user_dir), str(place.home))


def wired(where: Where, only: str, **options: bool) -> Setup:
    setup = Setup(where, Choice(chosen(only, (), antigravity=False), "my-app", **options))
    assert setup.preflight()
    setup.apply()
    return setup


def test_m02_a_persons_text_stays_on_top(place: Place, where: Where) -> None:
    (place.project / "AGENTS.md").write_text("# Mine\n")
    wired(where, "cursor")
    assert (place.project / "AGENTS.md").read_text() == f"# Mine\n\n{block('my-app')}\n"


def test_m04_only_an_older_block_is_replaced(place: Place, where: Where) -> None:
    (place.project / "AGENTS.md").write_text(f"# Above\n{block('an-older-name')}\nbelow\n")
    wired(where, "cursor")
    assert (place.project / "AGENTS.md").read_text() == f"# Above\n{block('my-app')}\nbelow\n"


def test_m11_a_begin_marker_without_an_end_is_refused_and_nothing_is_lost(place: Place) -> None:
    """Not as in the published system, which appended a second block: what belongs to the half one is not known."""
    text = f"# Mine\n{_BEGIN}\nmy note\n"
    (place.project / "AGENTS.md").write_text(text)
    ran = place.run("init", "--only", "cursor", "--json")
    assert (ran.code, ran.data["phase"], ran.data["errors"][0]["code"]) == (1, "preflight", "half_block")
    assert (place.project / "AGENTS.md").read_text() == text
    assert not (place.project / ".cursor").exists()


def test_m13_codex_keeps_another_server_and_the_rest(place: Place, where: Where) -> None:
    file = place.home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('[model]\nname = "x"\n\n[mcp_servers.other]\ncommand = "o"\n')
    before = file.read_text()
    wired(where, "codex")
    after = file.read_text(), file.stat().st_mtime_ns
    assert after[0].startswith(before)
    assert "[mcp_servers.graymatter]" in after[0]
    wired(where, "codex")
    assert (file.read_text(), file.stat().st_mtime_ns) == after


def test_m14_comments_of_opencode_stay(place: Place, where: Where) -> None:
    file = place.project / "opencode.jsonc"
    file.write_text('// mine\n{\n  "model": "x", // why\n}\n')
    wired(where, "opencode")
    text = file.read_text()
    assert all(part in text for part in ("// mine\n", '"model": "x", // why', '"graymatter"'))


def test_m22_a_data_directory_elsewhere_is_made_and_named_in_the_entries(place: Place) -> None:
    for _ in range(2):
        place.ok("init", "--dir", str(place.home / "data"), "--only", "cursor", "--quiet")
    assert (place.home / "data" / "MEMORY.md").is_file()
    held = json.loads((place.project / ".cursor" / "mcp.json").read_text())
    assert held["mcpServers"]["graymatter"]["args"] == [f"--dir={place.home / 'data'}"]


@pytest.mark.parametrize("kind", ["loop", "directory", "hardlink", "link to nowhere"])
def test_m32_a_leaf_that_may_not_be_replaced_stops_everything(place: Place, kind: str) -> None:
    """A link to a file is followed, as dotfiles need it; the published system refused it."""
    file = place.project / ".mcp.json"
    (place.home / "other.json").write_text("{}\n")
    {
        "loop": lambda: file.symlink_to(file),
        "directory": file.mkdir,
        "hardlink": lambda: os.link(place.home / "other.json", file),
        "link to nowhere": lambda: file.symlink_to(place.home / "gone.json"),
    }[kind]()
    ran = place.run("init", "--only", "claudecode,cursor", "--json")
    codes = {"loop": "symlink_loop", "directory": "not_regular", "link to nowhere": "symlink_dangling"}
    assert (ran.code, ran.data["phase"], ran.data["errors"][0]["code"]) == (1, "preflight", codes.get(kind, kind))
    assert sorted(os.listdir(place.project)) == [".git", ".mcp.json"]
    assert (place.home / "other.json").read_text() == "{}\n"


def test_m34_a_lock_file_that_stays_after_the_edit_is_told_and_the_edit_counts(
    where: Where, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(path: str) -> None:
        raise OSError(16, "Device or resource busy", path)

    (place.project / ".cursor").mkdir()
    (place.project / ".cursor" / "mcp.json").write_text("{}\n")
    monkeypatch.setattr(publish, "unlink_if_there", busy)
    report = register(chosen("cursor", (), antigravity=False)[0], where)
    assert (report.outcome, report.changed, report.warnings) == ("updated", True, ["cleanup_failed"])
    assert "graymatter" in (place.project / ".cursor" / "mcp.json").read_text()


def test_m37_store_only_makes_the_store_and_its_marker(place: Place) -> None:
    (place.project / ".mcp.json").write_text("{}")
    done = place.ok("init", "--store-only", "--json").data
    assert (done["mode"], done["status"], done["runtime_verified"]) == ("store-only", "created", False)
    assert place.ok("init", "--store-only", "--json").data["status"] == "already_prepared"
    assert (place.project / ".mcp.json").read_text() == "{}"
    assert sorted(os.listdir(place.project)) == [".git", ".graymatter", ".mcp.json"]


def test_the_wish_for_a_graph_is_noted_once_and_said_to_have_no_effect_yet(place: Place) -> None:
    done = place.ok("init", "--kg", "--json").data
    again = place.ok("init", "--kg", "--json").data
    assert [(each["kg"], each["changed"]) for each in (done, again)] == [("created", True), ("unchanged", False)]
    assert "does not read the note" in place.ok("init", "--kg").out
    assert (place.data_dir / "kg-wanted").stat().st_mode & 0o777 == 0o600
    assert place.run("init", "--kg", "--store-only").code == 2


def test_m41_an_answer_that_cannot_be_written_is_an_error_without_a_second_object(place: Place) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        words = [sys.executable, "-m", "gmhooks", "init", "--only", "cursor", "--json"]
        ran = place.raw(words, stdout=full.fileno())
    assert ran.returncode == 1
    assert "could not be written" in ran.stderr
    assert ran.stderr.count("\n") == 1
