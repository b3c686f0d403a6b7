"""Wiring clients with `init` and undoing it with `uninstall`, as a user does it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import Place


def tree(place: Place) -> dict[str, tuple[bytes, int]]:
    """Every file outside the store and our own directory: bytes and modification time."""
    found = {}
    for path in place.home.rglob("*"):
        own = path.is_relative_to(place.user_dir) or path.is_relative_to(place.data_dir)
        if path.is_file() and not own:
            found[str(path.relative_to(place.home))] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


def version(file: Path) -> tuple[int, int]:
    """Which file it is and when it was last written."""
    held = file.stat()
    return held.st_ino, held.st_mtime_ns


def statuses(data: dict[str, object]) -> dict[str, str]:
    actions = data["actions"]
    assert isinstance(actions, list)
    return {action["id"]: action["status"] for action in actions}


@pytest.mark.parametrize(
    ("only", "files"),
    [
        ("claudecode", {".mcp.json", "CLAUDE.md"}),
        ("opencode", {"opencode.jsonc", "AGENTS.md"}),
        ("cursor,vscodecopilot", {".cursor/mcp.json", ".vscode/mcp.json", "AGENTS.md"}),
        ("claudecode,opencode", {".mcp.json", "CLAUDE.md", "opencode.jsonc", "AGENTS.md"}),
    ],
)
def test_m20_each_client_gets_its_files_and_no_others(bare: Place, only: str, files: set[str]) -> None:
    bare.ok("init", "--only", only)

    assert set(tree(bare)) == {f"my-app/{name}" for name in files}


def test_m40_a_second_run_changes_nothing_and_uninstall_undoes_it_all(bare: Place) -> None:
    (bare.project / "CLAUDE.md").write_bytes(b"# Mine\r\n\r\nno line end")
    (bare.project / ".mcp.json").write_bytes(b'{"mcpServers": {"x": {"command": "x"}}}')
    before = {name: data for name, (data, _) in tree(bare).items()}

    first = bare.ok("init", "--with-antigravity", "--global", "--json").data
    assert (first["status"], first["complete"], first["changed"], first["phase"]) == ("complete", True, True, "apply")
    wired = tree(bare)
    again = bare.ok("init", "--with-antigravity", "--global", "--json").data
    assert (again["status"], again["changed"]) == ("complete", False)
    assert set(statuses(again).values()) == {"unchanged"}
    assert tree(bare) == wired
    assert bare.run("uninstall", "--check", "--global").code == 1

    bare.ok("uninstall", "--global")

    assert {name: data for name, (data, _) in tree(bare).items()} == before
    assert bare.run("uninstall", "--check", "--global").code == 0
    assert bare.data_dir.is_dir()


def test_m38_a_file_that_cannot_be_edited_stops_everything_and_is_not_quoted(bare: Place) -> None:
    (bare.project / ".vscode").mkdir()
    (bare.project / ".vscode/mcp.json").write_text('{"servers": HUSHHUSH')
    before = tree(bare)

    ran = bare.run("init", "--only", "claudecode,vscodecopilot", "--json", "--quiet")

    assert (ran.code, ran.data["phase"], ran.data["status"]) == (1, "preflight", "failed")
    assert [error["code"] for error in ran.data["errors"]] == ["invalid_json"]
    assert tree(bare) == before
    assert not bare.data_dir.exists()
    assert "line 1" in ran.err


def test_m31_what_fails_while_writing_is_told_and_a_retry_completes_it(bare: Place) -> None:
    fails = (
        "import sys\nfrom gmhooks.init import servers\nreal = servers.publish.replace\n"
        "def replace(path, *rest, **more):\n"
        "    if path.endswith('config.toml'):\n"
        "        raise servers.Refusal('io_error', 'the disk is gone')\n"
        "    return real(path, *rest, **more)\n"
        "servers.publish.replace = replace\nfrom gmhooks.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    )
    words = ("init", "--only", "cursor,codex", "--json")

    broken = bare.python(fails, *words)
    assert (broken.returncode, '"status": "partial"' in broken.stdout) == (1, True)
    assert "initialization incomplete" in broken.stderr
    assert bare.python(fails, *words, "--best-effort").returncode == 0
    held = tree(bare)

    done = bare.ok(*words).data
    assert statuses(done) == {"mcp:cursor": "unchanged", "mcp:codex": "created", "instructions:AGENTS.md": "unchanged"}
    assert {name: tree(bare)[name] for name in held} == held
    assert bare.ok(*words).data["changed"] is False


def test_instructions_wait_for_a_client_that_reads_them(bare: Place) -> None:
    (bare.home / ".codex").mkdir()
    code = (
        "import sys\nfrom gmhooks.init import servers\n"
        "def replace(path, *rest, **more):\n    raise servers.Refusal('io_error', 'no')\n"
        "servers.publish.replace = replace\nfrom gmhooks.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    )

    ran = bare.python(code, "init", "--only", "codex")

    assert ran.returncode == 1
    assert not (bare.project / "AGENTS.md").exists()


def test_a_refused_file_leaves_nothing_to_claim_of_the_others(bare: Place) -> None:
    (bare.project / ".mcp.json").write_text("{ torn")
    for more in ((), ("--dry-run",)):
        ran = bare.run("init", "--only", "claudecode,cursor", *more)
        assert (ran.code, ran.out) == (1, "")
        assert "nothing was written" in ran.err


@pytest.mark.parametrize("how", ["--global", "--skip-instructions", "--best-effort"])
def test_an_option_about_clients_alone_does_not_mean_all_of_them(bare: Place, how: str) -> None:
    ran = bare.run("init", how)
    assert (ran.code, "say which: --only" in ran.err) == (2, True)
    assert list(bare.project.iterdir()) == []


def test_m35_one_file_that_two_clients_would_share_is_refused(bare: Place) -> None:
    (bare.project / ".cursor").mkdir()
    (bare.project / ".cursor/mcp.json").write_text("{}\n")
    (bare.project / ".mcp.json").symlink_to(".cursor/mcp.json")

    ran = bare.run("init", "--only", "claudecode,cursor", "--json")

    assert [error["code"] for error in ran.data["errors"]] == ["duplicate_destination"]
    assert (bare.project / ".cursor/mcp.json").read_text() == "{}\n"


def test_m07_global_instructions_go_into_two_files_once(bare: Place) -> None:
    own = bare.home / ".claude/CLAUDE.md"
    own.parent.mkdir()
    own.write_text("# My own rules\n")

    bare.ok("init", "--only", "claudecode,opencode", "--global")
    other = bare.home / ".config/opencode/AGENTS.md"
    assert own.read_text().startswith("# My own rules\n\n<!-- graymatter:instructions:begin -->")
    held = (version(own), version(other))

    bare.ok("init", "--only", "claudecode,opencode", "--global")
    assert (version(own), version(other)) == held


def test_m10_stale_blocks_become_one_and_an_edited_one_is_kept(bare: Place) -> None:
    file = bare.project / "AGENTS.md"
    bare.ok("init", "--only", "codex")
    block = file.read_text().strip()
    from gmhooks.context.protocol import block as render

    stale = render("other")
    file.write_text(f"a\n{stale}\nb\n{stale}\nc\n")
    bare.ok("init", "--only", "codex")
    assert file.read_text() == f"a\n{block}\nb\nc\n"

    file.write_text(file.read_text().replace("First action", "My first action"))
    told = bare.ok("init", "--only", "codex", "--json").data
    assert statuses(told)["instructions:AGENTS.md"] == "preserved"
    assert "My first action" in file.read_text()
    assert statuses(bare.ok("uninstall", "--json").data) == {"instructions:AGENTS.md": "preserved"}


def test_f098_claude_codes_block_goes_into_the_agents_md_that_it_loads(bare: Place) -> None:
    (bare.project / "AGENTS.md").write_text("# Rules\n")

    bare.ok("init", "--only", "claudecode")

    assert not (bare.project / "CLAUDE.md").exists()
    assert "graymatter:instructions:begin" in (bare.project / "AGENTS.md").read_text()


def test_f184_a_server_registered_for_the_user_is_not_added_again(bare: Place) -> None:
    (bare.home / ".claude.json").write_text('{"mcpServers": {"graymatter": {"command": "x"}}}')

    ran = bare.ok("init", "--only", "claudecode", "--skip-instructions")

    assert "registered for this user already" in ran.err
    assert not (bare.project / ".mcp.json").exists()


def test_m29_the_wizard_asks_again_and_can_be_cancelled(bare: Place) -> None:
    ran = bare.run("init", "-i", stdin="99\n2\n")
    assert ran.code == 0
    assert "That is no list" in ran.err
    assert (bare.project / ".cursor/mcp.json").exists()

    cancelled = bare.run("init", "-i", stdin="")
    assert (cancelled.code, "cancelled" in cancelled.err) == (1, True)


def test_dry_run_shows_the_differences_and_writes_nothing(bare: Place) -> None:
    ran = bare.ok("init", "--only", "codex", "--dry-run")

    assert "+[mcp_servers.graymatter]" in ran.out
    assert os.listdir(bare.home) == ["my-app"]
    assert os.listdir(bare.project) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--only", "bogus"), 2),
        (("--replace-mcp",), 2),
        (("--store-only", "--only", "codex"), 2),
    ],
)
def test_options_that_do_not_go_together_are_refused(bare: Place, words: tuple[str, ...], code: int) -> None:
    assert bare.run("init", *words).code == code
    assert os.listdir(bare.project) == []


def test_f109_uninstall_check_finds_the_rule_and_the_hooks(bare: Place) -> None:
    bare.ok("init", "--hooks", "--mcp", "--allow-tools", "--quiet")

    checked = bare.run("uninstall", "--check", "--json")
    assert checked.code == 1
    assert set(statuses(checked.data)) == {"mcp:claudecode", "rule", "hooks:local"}

    bare.ok("uninstall")
    assert set(tree(bare)) <= {"my-app/.claude/settings.local.json"}
    left = Path(bare.project / ".claude/settings.local.json")
    assert not left.exists() or left.read_text() == "{}\n"


def test_uninstall_writes_nothing_when_one_file_cannot_be_edited(bare: Place) -> None:
    bare.ok("init", "--only", "claudecode,cursor")
    (bare.project / ".cursor/mcp.json").write_text("{ torn")
    before = tree(bare)

    ran = bare.run("uninstall")

    assert (ran.code, "invalid_json" in ran.err, tree(bare)) == (1, True, before)


def test_a_settings_file_that_cannot_be_edited_leaves_no_store_behind(bare: Place) -> None:
    settings = bare.project / ".claude/settings.local.json"
    settings.parent.mkdir()
    settings.write_text('{\n  // mine\n  "model": "x"\n}\n')

    ran = bare.run("init", "--hooks", "--mcp", "--json")

    assert (ran.code, ran.data["status"], ran.data["changed"]) == (1, "failed", False)
    assert (ran.data["error"]["code"], "Nothing was written" in ran.err) == ("invalid_json", True)
    assert sorted(path.name for path in bare.project.iterdir()) == [".claude"]
    assert not bare.user_dir.exists()


def test_a_dry_run_shows_every_file_it_would_change_so_that_patch_can_do_it(bare: Place) -> None:
    mine = '{\n\t"a":\t[1,  2]\n}'
    (bare.project / ".mcp.json").write_text(mine)

    ran = bare.ok("init", "--hooks", "--mcp", "--allow-tools", "--dry-run")

    local = bare.project / ".claude/settings.local.json"
    assert ran.out.count(f"--- /dev/null\n+++ {local}\n") == 2
    assert f"--- {bare.project}/.mcp.json\n+++ {bare.project}/.mcp.json\n" in ran.out
    assert '-\t"a":\t[1,  2]\n' in ran.out
    assert "\\ No newline at end of file\n" in ran.out
    assert sorted(path.name for path in bare.project.iterdir()) == [".mcp.json"]


def test_a_dry_removal_shows_the_hooks_and_the_rule_as_well(bare: Place) -> None:
    bare.ok("init", "--hooks", "--mcp", "--allow-tools", "--quiet")

    ran = bare.ok("uninstall", "--dry-run")

    local = bare.project / ".claude/settings.local.json"
    assert ran.out.count(f"--- {local}\n") == 2
    assert f"--- {bare.project}/.mcp.json\n+++ /dev/null\n" in ran.out


def test_init_does_not_advise_what_is_done_already(bare: Place) -> None:
    assert "graymatter init --hooks" in bare.ok("init").out
    bare.ok("init", "--hooks", "--quiet")

    assert "init --hooks" not in bare.ok("init").out
    told = bare.ok("init", "--mcp", "--allow-tools").out
    assert "init --hooks" not in told
    assert "the rule mcp__graymatter is added to it" in told


def test_init_names_the_settings_that_a_clone_brought_along_once(bare: Place) -> None:
    bare.data_dir.mkdir()
    (bare.data_dir / "hooks.conf").write_text("inject=on\nsave=off\nworktree=isolated\nno setting\n")
    told = bare.ok("init").err
    assert "hooks.conf was here already and counts from now on: save=off, worktree=isolated. " in told
    assert "config unset KEY" in told
    assert "hooks.conf" not in bare.ok("init").err


def test_init_says_nothing_of_settings_that_are_the_usual_ones(bare: Place) -> None:
    bare.data_dir.mkdir()
    (bare.data_dir / "hooks.conf").write_text("inject=on\ntop_k=3\n")
    assert "hooks.conf" not in bare.ok("init").err


_IGNORED = ".claude/settings.local.json"


def test_init_says_once_what_gitignore_lacks_and_nothing_when_it_is_there(bare: Place) -> None:
    bare.ok("init", "--hooks", "--quiet")
    assert _IGNORED not in bare.ok("init", "--hooks").err
    subprocess.run(["git", "init", "-q", str(bare.project)], check=True, env=bare.env())
    told = bare.ok("init", "--hooks", "--allow-tools", "--mcp").err
    assert told.count("git does not ignore") == 1
    assert f"add {_IGNORED} as a line to .gitignore" in told
    assert "git does not ignore" in bare.ok("hooks", "install").err
    assert "git does not ignore" in bare.ok("init", "--mcp", "--allow-tools").err
    assert bare.ok("init", "--hooks", "--quiet").err == ""
    assert "local_settings_committable" in bare.ok("init", "--hooks", "--json").data["hooks"]["warnings"]
    (bare.project / ".gitignore").write_text(f"{_IGNORED}\n")
    assert bare.ok("init", "--hooks").err == ""
    subprocess.run(["git", "-C", str(bare.project), "add", "-f", _IGNORED], check=True, env=bare.env())
    assert f"git rm --cached {_IGNORED}" in bare.ok("init", "--hooks").err


def test_a_server_in_two_scopes_is_told_with_the_clients_way_out(bare: Place) -> None:
    assert "Note:" not in bare.ok("init", "--mcp").out
    told = bare.ok("init", "--mcp", "user").out
    assert f"Note: {bare.project}/.mcp.json has a server called graymatter as well" in told
    assert "claude mcp remove graymatter -s project" in told
    assert "init --mcp user --allow-tools" in told
    again = bare.ok("init", "--mcp", "--json").data["mcp"][0]
    assert again["outcome"] == "unchanged"
    assert again["note"].endswith("claude mcp remove graymatter -s user")


def test_uninstall_knows_every_file_that_was_synced_and_the_backups(bare: Place) -> None:
    bare.ok("init", "--quiet")
    bare.ok("remember", "a fact", "--quiet")
    (bare.project / "sub").mkdir()
    files = [bare.project / name for name in ("NOTES.md", "sub/x.md", "CLAUDE.md", "other.md")]
    for file in files[:3]:
        file.write_text("# Mine\n")
    for file in files:
        bare.ok("context-sync", "--file", str(file), "--quiet")
    bare.ok("remember", "a second fact", "--quiet")
    bare.ok("context-sync", "--file", str(files[0]), "--quiet")
    (bare.project / "sub/x.md.bak").write_text("edited\n")

    checked = bare.run("uninstall", "--check", "--json")
    names = {"context:NOTES.md", "context:x.md", "context:CLAUDE.md", "context:other.md", "backup:NOTES.md.bak",
             "backup:CLAUDE.md.bak", "backup:x.md.bak"}  # fmt: skip
    assert (checked.code, set(statuses(checked.data))) == (1, names)

    done = bare.ok("uninstall", "--json").data
    assert statuses(done) == {name: "preserved" if "x.md.bak" in name else "removed" for name in names}
    left = {name: data for name, (data, _) in tree(bare).items()}
    mine = dict.fromkeys(("my-app/NOTES.md", "my-app/sub/x.md", "my-app/CLAUDE.md"), b"# Mine\n")
    assert left == {**mine, "my-app/sub/x.md.bak": b"edited\n"}


def test_uninstall_takes_this_projects_facts_out_of_files_elsewhere(bare: Place) -> None:
    other = bare.home / "other"
    other.mkdir()
    notes = bare.home / "notes" / "AGENTS.md"
    notes.parent.mkdir()
    notes.write_text("# Mine\n")
    bare.ok("init", "--quiet")
    assert bare.run("init", "--here", "--quiet", cwd=other).code == 0
    for _ in range(2):
        bare.ok("context-sync", "--file", str(notes), "--outside", "--quiet")

    assert bare.run("uninstall", "--check", cwd=other).code == 0
    assert set(statuses(bare.run("uninstall", "--check", "--json").data)) == {"context:AGENTS.md", "backup:AGENTS.md.bak"}
    bare.ok("uninstall")
    assert {path.name: path.read_text() for path in notes.parent.iterdir()} == {"AGENTS.md": "# Mine\n"}


def test_uninstall_names_what_serves_all_projects_and_how_it_goes(bare: Place) -> None:
    bare.ok("init", "--only", "codex", "--quiet")
    config = str(bare.home / ".codex" / "config.toml")

    checked = bare.run("uninstall", "--check")
    assert (config in checked.err, "graymatter uninstall --global" in checked.err) == (True, True)
    done = bare.ok("uninstall", "--json").data
    assert [each["path"] for each in done["for_all_projects"]] == [config]
    assert bare.ok("uninstall", "--global", "--json").data["for_all_projects"] == []
    assert bare.ok("uninstall").err == ""


def test_init_says_what_is_left_to_do_in_the_client(bare: Place) -> None:
    out = bare.ok("init", "--only", "claudecode,cursor").out
    assert "Start Claude Code, Cursor anew: servers are read at the start." in out
    assert "Claude Code asks there whether to use the server." in out
    assert "anew" not in bare.ok("init", "--only", "claudecode,cursor").out


def test_check_finds_what_lies_in_files_that_cannot_be_written(bare: Place) -> None:
    bare.ok("init", "--only", "cursor", "--quiet")
    file = bare.project / ".cursor" / "mcp.json"
    file.chmod(0o444)
    (bare.project / "AGENTS.md.lock").touch()

    found = bare.run("uninstall", "--check", "--json")
    told = bare.run("uninstall", "--check")

    assert (found.code, found.data["status"]) == (1, "checked")
    assert statuses(found.data) == {"mcp:cursor": "stuck", "instructions:AGENTS.md": "stuck"}
    assert (told.code, told.err) == (1, "")
    assert f"{file}: mcp:cursor is there, and cannot be removed as it is (read_only)" in told.out
    removed = bare.run("uninstall")
    assert (removed.code, file.exists()) == (1, True)
    assert "Next" in removed.err or "Nothing was written; " in removed.err


def test_uninstall_leaves_a_project_further_down_alone(bare: Place) -> None:
    inner = bare.project / "inner"
    inner.mkdir()
    bare.ok("init", "--quiet")
    assert bare.run("init", "--here", "--quiet", cwd=inner).code == 0
    assert bare.run("context-sync", "--file", "N.md", "--quiet", cwd=inner).code == 0

    assert bare.run("uninstall", "--check").code == 0


def test_a_backup_of_somebodys_own_is_kept_before_ours_takes_its_name(bare: Place) -> None:
    bare.ok("init", "--quiet")
    (bare.project / "N.md").write_text("text\n")
    (bare.project / "N.md.bak").write_text("my own backup\n")

    bare.ok("context-sync", "--file", "N.md", "--quiet")

    kept = [path.read_text() for path in (bare.user_dir / "backups").iterdir()]
    assert kept == ["my own backup\n"]


class TestStatus:
    """What `status` says beside on and off."""

    def test_the_first_line_says_which_half_is_switched_off(self, bare: Place) -> None:
        bare.ok("init", "--hooks", "--quiet")
        assert bare.ok("status").out.splitlines()[0] == "Memory is on."
        bare.ok("config", "save", "off")
        assert bare.ok("status").out.splitlines()[0] == "Memory is on, but prompts save nothing (save off)."
        bare.ok("config", "inject", "off")
        assert bare.ok("status").out.splitlines()[0] == "Memory is off."

    def test_lines_that_are_no_settings_are_shown(self, bare: Place) -> None:
        bare.ok("init", "--quiet")
        (bare.data_dir / "hooks.conf").write_text("save=on\ninjekt=off\n")

        assert "config:   hooks.conf, line 2: not understood and ignored" in bare.ok("status").out

    def test_a_store_file_that_is_gone_is_named_with_the_way_back(self, bare: Place) -> None:
        bare.ok("init", "--hooks", "--quiet")
        (bare.data_dir / "gray.mdb").unlink()

        told = bare.ok("status", "--json").data
        assert [reason["code"] for reason in told["reasons"]] == ["store_missing"]
        assert "graymatter restore" in told["reasons"][0]["next"]

    def test_an_untrusted_copy_is_not_said_to_have_saved_nothing(self, bare: Place) -> None:
        bare.ok("init", "--quiet")
        receipt = {"ts": "2099-01-01T00:00:00Z", "event": "user-prompt", "code": "injected", "ms": 1}
        lines = [receipt | {"detail": f"9 bytes, session {number:016x}, facts 1"} for number in range(9)]
        (bare.data_dir / "hooks.log").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        assert bare.ok("status", "--json").data["hints"] != []
        for file in (bare.user_dir / "trust").iterdir():
            file.unlink()

        assert bare.ok("status", "--json").data["hints"] == []


def test_hooks_installed_in_a_project_that_is_not_prepared_say_that_they_are_silent(bare: Place) -> None:
    told = "hooks are silent until it is: graymatter init"
    assert told in bare.ok("hooks", "install").err
    assert bare.ok("hooks", "install", "--json").data["warnings"] == ["not_prepared"]
    bare.ok("init")
    assert told not in bare.ok("hooks", "install").err
