"""Slips that people make in their first days: each is refused or told with the next step, and loses nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Place


class TestExportTarget:
    def test_a_bare_name_is_written_into_the_current_directory(self, place: Place) -> None:
        place.ok("remember", "Here")
        assert place.ok("export", "--out", "memory.jsonl").out == "Exported 1 fact to memory.jsonl.\n"
        assert (place.project / "memory.jsonl").read_text() == place.ok("export").out

    @pytest.mark.parametrize("first", ["jsonl", "markdown"])
    @pytest.mark.parametrize("second", ["jsonl", "markdown"])
    def test_a_former_export_is_replaced(self, place: Place, first: str, second: str) -> None:
        place.ok("remember", "One\n\ntwo")
        place.ok("export", "--out", "memory.txt", "--format", first)
        place.ok("export", "--out", "memory.txt", "--format", second)
        assert (place.project / "memory.txt").read_text() == place.ok("export", "--format", second).out

    @pytest.mark.parametrize("held", ["# Notes\n- buy milk\n", '{"name": "app"}\n', "plain\n", "\xff"])
    def test_another_file_is_kept_unless_forced(self, place: Place, held: str) -> None:
        target = place.project / "mine"
        target.write_text(held, encoding="latin-1")
        ran = place.run("export", "--out", "mine", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "file_exists")
        assert "--force" in ran.data["error"]["next"]
        assert target.read_text(encoding="latin-1") == held
        place.ok("remember", "Here")
        place.ok("export", "--out", "mine", "--force")
        assert target.read_text() == place.ok("export").out

    def test_a_directory_is_never_replaced(self, place: Place, tmp_path: Path) -> None:
        ran = place.run("export", "--out", str(tmp_path), "--force")
        assert ran.code == 1
        assert "no regular file" in ran.err


    @pytest.mark.parametrize("name", ["gray.mdb", "hooks.conf", "backups/new.jsonl"])
    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_the_data_directory_is_no_place_for_an_export(self, place: Place, name: str, force: tuple[str, ...]) -> None:
        place.ok("remember", "Here")
        (place.project / "link").symlink_to(place.data_dir)
        held = place.data_dir / name
        before = held.stat().st_ino if held.exists() else 0
        for target in (held, place.project / "link" / name):
            ran = place.run("export", "--out", str(target), "--json", *force)
            assert (ran.code, ran.data["error"]["code"]) == (1, "in_data_dir")
        assert (held.stat().st_ino if held.exists() else 0) == before


def test_recall_of_both_memories_puts_the_match_first_and_counts_the_shared_facts(place: Place) -> None:
    place.ok("remember", "The kitchen is on the second floor")
    place.ok("remember", "--shared", "All timestamps are UTC")
    ran = place.ok("recall", "--all", "timestamps")
    assert ran.out.splitlines()[0] == "All timestamps are UTC"
    assert ran.err == "2 facts from my-app and shared memory (1 shared), of which the first 1 matches:\n"


class TestMistakenAgentId:
    @pytest.mark.parametrize(
        "words",
        [
            ("remember", "shared:", "All timestamps are UTC"),
            ("remember", "remember", "All timestamps are UTC"),
            ("alias", "add", "shared:", "db", "database"),
        ],
    )
    def test_words_of_a_prompt_are_no_agent_id(self, place: Place, words: tuple[str, ...]) -> None:
        ran = place.run(*words, "--json")
        assert ran.code == 2
        assert "--shared" in ran.data["error"]["next"]
        assert place.ok("agents", "--json").data["count"] == 0

    def test_two_words_without_quotes_are_told_apart_from_an_agent_id(self, place: Place) -> None:
        assert "quote the whole question" in place.ok("recall", "which", "port").err
        first = place.ok("remember", "vpn", "profile")
        assert first.out.startswith("Remembered in vpn [")
        assert "quote the whole text" in first.err
        assert place.ok("remember", "vpn", "another").err == ""
        assert place.ok("remember", "my-app", "its own id").err == ""
        assert place.ok("remember", "new", "for a script", "--json").err == ""

    @pytest.mark.parametrize("state", [(), ("{}",)])
    def test_a_checkpoint_is_saved_under_no_unknown_id(self, place: Place, state: tuple[str, ...]) -> None:
        ran = place.run("checkpoint", "save", "my-ap", *state)
        assert (ran.code, ran.out) == (2, "")
        assert place.ok("checkpoint", "list", "my-ap", "--json").data["count"] == 0
        place.ok("remember", "my-ap", "It is one after all")
        place.ok("checkpoint", "save", "my-ap", *state)
        assert place.ok("checkpoint", "list", "my-ap", "--json").data["count"] == 1

    def test_import_says_whose_facts_came_and_how_to_make_them_this_projects(self, place: Place) -> None:
        place.ok("remember", "--shared", "Everybody's")
        place.ok("remember", "old app", "Its own")
        place.ok("export", "--out", "a.jsonl")
        place.ok("forget", "old app", "Its own", "--purge")
        place.ok("forget", "--shared", "Everybody's", "--purge")
        ran = place.ok("import", "a.jsonl")
        assert ran.out.splitlines()[1:] == ["Under __shared__: 1 fact", "Under old app: 1 fact"]
        assert ran.err == "This project is my-app. To make the facts of old app its own: graymatter adopt 'old app'\n"
        assert place.ok("import", "a.jsonl", "--json").data["added_under"] == {}


@pytest.mark.parametrize("options", [(), ("--format", "markdown")])
def test_import_does_not_begin_to_read_a_device(place: Place, options: tuple[str, ...]) -> None:
    ran = place.run("import", "/dev/zero", "--json", *options)
    assert (ran.code, ran.data["error"]["code"]) == (1, "not_regular")


@pytest.mark.parametrize("options", [(), ("--format", "markdown")])
def test_import_of_a_file_that_is_not_there_says_what_next(place: Place, options: tuple[str, ...]) -> None:
    ran = place.run("import", "gone", "--json", *options)
    assert (ran.code, ran.data["error"]["code"]) == (1, "io_error")
    assert "name a file" in ran.data["error"]["next"]


def test_restore_of_another_file_does_not_send_to_repair(place: Place) -> None:
    (place.project / "notes").write_text("no store")
    ran = place.run("restore", "notes", "--json")
    assert (ran.code, ran.data["error"]["code"]) == (1, "store_damaged")
    assert "repair" not in ran.out
    assert "graymatter backup --list" in ran.data["error"]["next"]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_checkpoint_holds_nothing_that_json_does_not_know(place: Place, value: str) -> None:
    ran = place.run("checkpoint", "save", f'{{"x": {value}}}', "--json")
    assert (ran.code, ran.data["error"]["code"]) == (2, "usage")


def test_a_long_checkpoint_is_listed_with_a_mark_that_it_goes_on(place: Place) -> None:
    place.ok("checkpoint", "save", '{"next": "' + "x" * 300 + '"}')
    assert place.ok("checkpoint", "list").out.endswith("x…\n")


@pytest.mark.parametrize(
    ("text", "step"),
    [("", "write the fact"), ("<private>x</private>", "outside"), ("x" * 4001, "several facts"),
     ("AWS key AKIA" + "IOSFODNN7EXAMPL3", "where the secret is kept")],
)  # fmt: skip
def test_a_refused_text_comes_with_what_to_do_instead(place: Place, text: str, step: str) -> None:
    assert step in place.run("remember", text, "--json").data["error"]["next"]


class TestWhatIsSaid:
    def test_a_save_to_a_damaged_store_names_the_damage_and_is_kept(self, place: Place) -> None:
        place.ok("remember", "Deploys run on Fridays")
        os.truncate(place.data_dir / "gray.mdb", 8192)
        ran = place.ok("remember", "Kept aside")
        assert "the store is damaged. It is kept aside" in ran.out
        assert "graymatter doctor --repair" in ran.out
        assert place.ok("remember", "Kept as well", "--json").data["reason"] == "store_damaged"
        place.ok("repair")
        assert "Kept aside" in place.ok("list").out

    def test_a_repeated_save_offers_no_undo(self, place: Place) -> None:
        saved = place.ok("remember", "Deploys run on Fridays", "--json").data
        assert place.ok("remember", "Deploys run on Fridays").out == f"Already remembered in my-app [{saved['short_id']}].\n"

    def test_an_alias_is_not_pinned_and_says_so(self, place: Place) -> None:
        place.ok("alias", "vpn", "tunnel")
        for verb in ("pin", "unpin"):
            ran = place.run(verb, "alias: vpn = tunnel")
            assert (ran.code, "an alias cannot be pinned" in ran.err) == (1, True)

    def test_an_alias_is_not_replaced_by_what_nobody_would_ever_see(self, place: Place) -> None:
        place.ok("alias", "vpn", "tunnel")
        ran = place.run("revise", "alias: vpn = tunnel", "The port is 1")
        assert (ran.code, "is replaced by an alias" in ran.err) == (1, True)
        place.ok("revise", "alias: vpn = tunnel", "alias: vpn = wireguard")
        assert "alias: vpn = wireguard" in place.ok("alias", "list").out

    def test_a_repeated_alias_offers_no_undo_either(self, place: Place) -> None:
        assert "Undo: graymatter forget" in place.ok("alias", "--shared", "vpn", "tunnel").out
        said = place.ok("alias", "--shared", "vpn", "tunnel").out
        assert said.startswith("Already there: [")
        assert said.endswith("] alias: vpn = tunnel (for shared memory).\n")

    def test_unpin_of_an_unpinned_fact_says_so(self, place: Place) -> None:
        saved = place.ok("remember", "Always use pnpm", "--json").data
        said = place.ok("unpin", "Always use pnpm").out
        assert said == f"Not pinned, nothing to change: [{saved['short_id']}] Always use pnpm\n"
        assert place.ok("pin", "Always use pnpm", "--json").data["changed"] is True
        assert place.ok("pin", "Always use pnpm").out.startswith("Already pinned: [")
        assert place.ok("unpin", "Always use pnpm").out.startswith("Unpinned [")

    def test_trust_without_a_terminal_names_the_option_that_needs_none(self, place: Place) -> None:
        place.ok("remember", "Deploys run on Fridays")
        shutil.rmtree(place.user_dir / "trust")
        ran = place.run("trust", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "untrusted")
        assert "graymatter trust --yes" in ran.data["error"]["next"]
        place.ok("trust", "--yes")

    def test_forget_is_taken_back_as_its_answer_says(self, place: Place) -> None:
        saved = place.ok("remember", "--shared", "Deploys run on Fridays", "--json").data
        place.ok("remember", "Another")
        assert place.ok("forget", saved["short_id"]).out.endswith("\nUndo: graymatter undo\n")
        assert place.ok("undo").out == f"Holds again: [{saved['short_id']}] Deploys run on Fridays\n"
        assert place.ok("undo", "--json").data["undone"]["text"] == "Another"
