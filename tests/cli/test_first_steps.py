"""What a newcomer types by mistake or in the wrong place: it works as meant, or is refused with a step that helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Place
from tests.cli.test_in_the_way import WITHOUT_RIGHTS


class TestOnly:
    @pytest.mark.parametrize("value", ["", " ", ",", " , "])
    @pytest.mark.parametrize("verb", ["init", "uninstall"])
    def test_a_list_without_clients_wires_none(self, bare: Place, verb: str, value: str) -> None:
        ran = bare.run(verb, "--only", value, "--json")

        assert (ran.code, ran.data["error"]["message"]) == (2, "--only names no client")
        assert list(bare.project.iterdir()) == []


class TestDirFromNoProject:
    @pytest.mark.parametrize("here", ["/", "/tmp", None])
    def test_the_data_directory_of_a_project_stands_for_it(self, place: Place, here: str | None) -> None:
        place.ok("remember", "the staging VPN is corp-eu")
        cwd = Path(here) if here else place.home
        for words in (("list",), ("recall", "VPN")):
            ran = place.run("--dir", str(place.data_dir), *words, cwd=cwd)
            assert (ran.code, "corp-eu" in ran.out) == (0, True), ran

        who = place.run("--dir", str(place.data_dir), "whoami", "--json", cwd=cwd).data
        assert (who["agent_id"], who["root"], who["store"]) == ("my-app", str(place.project), str(place.data_dir))

    def test_without_one_the_advice_names_what_works(self, place: Place) -> None:
        ran = place.run("list", "--json", cwd=place.home)
        assert (ran.code, ran.data["error"]["code"]) == (1, "not_a_project")
        assert ran.data["error"]["next"] == "change to your project, or name the .graymatter of a prepared one with --dir"

    @pytest.mark.parametrize("inside", [True, False])
    def test_a_project_in_its_place_is_told_from_its_data_directory(self, place: Place, inside: bool) -> None:
        ran = place.run("--dir", str(place.project), "list", "--json", cwd=place.project if inside else Path("/"))
        assert (ran.code, ran.data["error"]["next"]) == (1, f"--dir {place.data_dir}")

    def test_an_unprepared_directory_is_not_taken_for_a_project(self, bare: Place) -> None:
        ran = bare.run("--dir", str(bare.data_dir), "init", "--json", cwd=Path("/"))
        assert (ran.code, ran.data["error"]["code"]) == (1, "not_a_project")
        assert not bare.data_dir.exists()


class TestContextSyncPlace:
    def test_a_file_outside_the_project_is_left_alone(self, place: Place) -> None:
        place.ok("remember", "a fact")
        file = place.home / "passwd"
        file.write_text("root:x:0:0\n")

        ran = place.run("context-sync", "--file", str(file), "--json")

        assert (ran.code, ran.data["error"]["code"]) == (1, "outside_project")
        assert "--outside" in ran.data["error"]["next"]
        assert file.read_text() == "root:x:0:0\n"
        place.ok("context-sync", "--file", str(file), "--outside")
        assert "- a fact" in file.read_text()
        place.ok("context-sync", "--file", str(file), "--remove")
        assert file.read_text() == "root:x:0:0\n"

    def test_a_link_that_leads_out_is_too(self, place: Place) -> None:
        file = place.home / "rc"
        file.write_text("mine\n")
        (place.project / "AGENTS.md").symlink_to(file)

        ran = place.run("context-sync", "--json")

        assert (ran.code, ran.data["error"]["code"]) == (1, "outside_project")
        assert file.read_text() == "mine\n"

    def test_a_link_that_leads_nowhere_is_named_as_that(self, place: Place) -> None:
        (place.project / "AGENTS.md").symlink_to(place.home / "gone")
        ran = place.run("context-sync", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "symlink_dangling")

    @pytest.mark.parametrize("name", [".git/config", ".graymatter/hooks.conf"])
    @pytest.mark.parametrize("option", [(), ("--outside",)])
    def test_folders_of_programs_are_no_place_for_a_block(self, place: Place, name: str, option: tuple[str, ...]) -> None:
        (place.project / ".git").mkdir()
        ran = place.run("context-sync", "--file", name, "--json", *option)
        assert (ran.code, ran.data["error"]["code"]) == (1, "in_data_dir")


class TestUnknownAgent:
    def test_context_sync_keeps_the_block(self, place: Place) -> None:
        place.ok("remember", "a fact")
        place.ok("context-sync")
        before = (place.project / "AGENTS.md").read_bytes()

        ran = place.run("context-sync", "--agent", "my-ap", "--json")

        assert (ran.code, ran.data["error"]["code"]) == (2, "usage")
        assert "nothing is stored under the agent id 'my-ap'" in ran.data["error"]["message"]
        assert (place.project / "AGENTS.md").read_bytes() == before

    @pytest.mark.parametrize("option", [(), ("--out", "x.jsonl"), ("--format", "markdown")])
    def test_export_says_so(self, place: Place, option: tuple[str, ...]) -> None:
        ran = place.run("export", "--agent", "my-ap", *option)
        assert (ran.code, ran.out) == (2, "")
        assert "graymatter agents lists the ids" in ran.err
        assert place.ok("export", "--agent", "my-app").out == ""
        assert not (place.project / "x.jsonl").exists()


class TestUsage:
    @pytest.mark.parametrize(
        ("verb", "form"),
        [
            ("pin", "[agent_id] FACT"), ("unpin", "[agent_id] FACT"), ("forget", "[agent_id] FACT"),
            ("remember", "[agent_id] TEXT"), ("recall", "[agent_id] QUERY"), ("revise", "[agent_id] OLD NEW"),
            ("alias", "[add] [agent_id] TERM EQUIVALENTS"), ("checkpoint", "save [agent_id] [STATE]"),
        ],
    )  # fmt: skip
    def test_help_and_error_name_the_words_as_they_are_taken(self, bare: Place, verb: str, form: str) -> None:
        assert f"graymatter {verb} [options] {form}\n" in bare.ok(verb, "--help").out
        ran = bare.run(verb, "--json")
        assert ran.code == 2
        assert ran.data["error"]["message"].startswith("words are missing: expected ")
        assert form in ran.data["error"]["message"]


class TestExportForm:
    def test_a_dash_is_standard_output(self, place: Place) -> None:
        place.ok("remember", "a fact")
        assert place.ok("export", "--out", "-").out == place.ok("export").out != ""
        assert not (place.project / "-").exists()

    def test_markdown_is_not_called_json(self, place: Place) -> None:
        ran = place.run("export", "--json", "--format", "markdown")
        assert (ran.code, ran.data["error"]["code"]) == (2, "usage")
        place.ok("export", "--json", "--format", "markdown", "--out", "x.md")


class TestWhatIsSaid:
    def test_a_foreign_server_of_our_name_is_never_allowed(self, bare: Place) -> None:
        (bare.project / ".mcp.json").write_text('{"mcpServers": {"graymatter": {"command": "theirs"}}}\n')

        assert "--allow-tools" not in bare.ok("init", "--mcp").out
        said = bare.ok("init", "--mcp", "--allow-tools").out

        assert "mcp__graymatter is not allowed: it would let that other server run" in said
        assert not (bare.project / ".claude").exists()

    def test_the_first_alias_of_another_agent_is_pointed_out(self, place: Place) -> None:
        assert "first alias of the agent id a." in place.ok("alias", "a", "b", "c", "d").err
        assert place.ok("alias", "a", "b", "c").err == ""
        assert place.ok("alias", "b", "c,d").err == ""

    def test_list_of_an_unknown_id_says_where_the_ids_are(self, place: Place) -> None:
        assert place.ok("list", "nobody").err == "No facts under nobody.\ngraymatter agents lists the agent ids\n"

    def test_both_ways_to_switch_memory_on_are_named(self, place: Place) -> None:
        place.ok("pause")
        assert "Next: graymatter resume, or the prompt `memory on`" in place.ok("status").out
        assert "memory on" in place.ok("resume", "--help").out

    def test_settings_that_cannot_be_read_are_not_called_without_hooks(self, place: Place) -> None:
        file = place.project / ".claude" / "settings.local.json"
        file.parent.mkdir()
        file.write_text("{")

        reasons = place.ok("status", "--json").data["reasons"]

        assert [each["code"] for each in reasons] == ["settings_unusable"]
        assert str(file) in reasons[0]["message"]

    @pytest.mark.parametrize("name", ["absent.md", "absent/"])
    def test_an_audit_of_nothing_says_so(self, place: Place, name: str) -> None:
        ran = place.run("doctor", "--audit", name, "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "io_error")
        assert "name an instruction file" in ran.data["error"]["next"]

    def test_an_audit_of_a_directory_that_may_not_be_read_says_so(self, place: Place) -> None:
        folder = place.project / "closed"
        folder.mkdir(mode=0)
        ran = place.python(WITHOUT_RIGHTS, "doctor", "--audit", str(folder))
        assert (ran.returncode, ran.stdout) == (1, "")
        assert f"({folder})" in ran.stderr

    def test_import_offers_only_live_facts_for_adoption(self, place: Place) -> None:
        place.ok("remember", "old app", "It was so")
        place.ok("forget", "old app", "It was so")
        place.ok("export", "--out", "a.jsonl")
        place.ok("forget", "old app", "It was so", "--purge")
        assert "adopt" not in place.ok("import", "a.jsonl").err

    def test_what_was_private_leaves_one_blank(self, place: Place) -> None:
        place.ok("remember", "the staging <private>secret</private> host is b7")
        assert place.ok("list", "--json").data["facts"][0]["text"] == "the staging host is b7"
