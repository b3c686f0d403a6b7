"""Correcting, inspecting and moving memory with the command, seen from outside."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Place
from tests.hooks.project import Project


def _texts(place: Place, *words: str) -> list[str]:
    return [fact["text"] for fact in place.ok("list", *words, "--json").data["facts"]]


class TestRevise:
    def test_replaces_a_fact_and_tells_both_ids(self, place: Place) -> None:
        old = place.ok("remember", "Port is 5432", "--confidence", "verified", "--json").data
        done = place.ok("revise", old["short_id"], "Port is 5433", "--json").data
        assert done["superseded"] == [old["id"]]
        assert (done["agent_id"], done["retired_text"], done["replacement"], done["confidence"]) == (
            "my-app", "Port is 5432", "Port is 5433", "inferred",
        )  # fmt: skip
        (live,) = place.ok("list", "--json").data["facts"]
        assert live["id"] == done["superseded_by"]
        assert place.ok("recall", "port").out == "Port is 5433\n"

    @pytest.mark.parametrize("verb", ["update", "supersede"])
    def test_answers_to_its_other_names(self, place: Place, verb: str) -> None:
        place.ok("remember", "other-agent", "Old")
        ran = place.ok(verb, "other-agent", "Old", "New", "--confidence", "verified")
        assert ran.out.splitlines()[0].startswith("Replaced [")
        assert "by [" in ran.out.splitlines()[1]
        assert "Undo: graymatter undo" in ran.out
        assert _texts(place, "other-agent") == ["New"]

    def test_what_was_replaced_already_is_refused_with_what_holds_now(self, place: Place) -> None:
        place.ok("remember", "One")
        place.ok("revise", "One", "Two")
        ran = place.run("revise", "One", "Three", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "not_found")
        assert "already superseded by [" in ran.data["error"]["message"]
        assert ran.data["error"]["message"].endswith("Two")

    @pytest.mark.parametrize("new", ["", "  ", "<private>x</private>", "AWS key AKIA" + "IOSFODNN7EXAMPL3"])
    def test_a_new_text_that_may_not_be_stored_changes_nothing(self, place: Place, new: str) -> None:
        place.ok("remember", "One")
        assert place.run("revise", "One", new).code == 1
        assert _texts(place) == ["One"]

    def test_needs_two_texts(self, place: Place) -> None:
        assert place.run("revise", "One").code == 2
        assert place.run("revise", "--shared", "agent", "One", "Two").code == 2


class TestUndo:
    def test_says_what_it_took_back_and_does_it_once(self, place: Place) -> None:
        place.ok("remember", "Stays")
        place.ok("remember", "--shared", "Goes")
        assert "Goes" in place.ok("undo").out
        ran = place.run("undo")
        assert (ran.code, "nothing to undo" in ran.err) == (1, True)
        assert _texts(place, "--all") == ["Stays"]

    def test_a_revision_is_taken_back_whole(self, place: Place) -> None:
        place.ok("remember", "Port is 1")
        place.ok("revise", "Port is 1", "Port is 2")
        done = place.ok("undo", "--json").data
        assert (done["undone"]["text"], [fact["text"] for fact in done["restored"]]) == ("Port is 2", ["Port is 1"])
        assert _texts(place) == ["Port is 1"]


    def test_the_last_save_counts_whoever_it_was_saved_for_and_is_named(self, place: Place) -> None:
        place.ok("remember", "Stays")
        place.ok("remember", "other", "Goes")
        assert place.ok("undo").out.startswith("Undone in other: [")
        assert _texts(place, "--all") == ["Stays"]
        assert place.run("undo").code == 1
        assert _texts(place, "--all") == ["Stays"]

    def test_in_a_store_of_several_projects_only_ones_own_save_goes(self, place: Place) -> None:
        common = str(place.home / "common")
        place.ok("init", "--store-only", "--quiet", "--dir", common)
        place.ok("remember", "Goes", "--dir", common)
        newer = place.ok("remember", "other-project", "Stays", "--dir", common, "--json").data["short_id"]
        ran = place.ok("undo", "--dir", common)
        assert "Goes" in ran.out
        assert f"A newer save, [{newer}] of other-project, stays" in ran.err
        assert place.ok("list", "--all", "--dir", common).out.count("\n") == 1


class TestPurge:
    def test_no_byte_stays_and_the_answer_does_not_hold_the_text(self, place: Place) -> None:
        place.ok("remember", "The zanzibar handshake")
        place.ok("remember", "Stays")
        place.ok("forget", "The zanzibar handshake")
        ran = place.ok("forget", "--purge", "the zanzibar handshake.")
        holding = [path.name for path in place.home.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]
        assert (holding, "zanzibar" in ran.out + ran.err) == ([], False)
        assert "Out of reach from here:" in ran.out
        assert _texts(place, "--retired") == ["Stays"]

    def test_json_names_ids_and_places(self, place: Place) -> None:
        saved = place.ok("remember", "Gone", "--json").data
        done = place.ok("forget", "--purge", saved["short_id"], "--json").data
        assert (done["purged"], done["also_at"], done["agent_id"]) == ([saved["id"]], [], "my-app")
        assert place.run("forget", "--purge", saved["id"]).code == 1


class TestAlias:
    def test_an_alias_finds_both_ways_until_it_is_forgotten(self, place: Place) -> None:
        place.ok("remember", "The database is Postgres")
        place.ok("remember", "Lunch is at noon")
        added = place.ok("alias", "db", "database, datastore", "--json").data
        assert (added["term"], added["equivalents"], added["stored"]) == ("db", ["database", "datastore"], True)
        assert place.ok("recall", "--top-k", "1", "db").out == "The database is Postgres\n"
        assert f"[{added['short_id']}] alias: db = database, datastore (authored)" in place.ok("alias", "list").out
        assert "alias" not in place.ok("list").out
        place.ok("forget", added["short_id"])
        assert place.ok("alias", "list", "--json").data["aliases"] == []
        assert place.ok("recall", "--explain", "db", "--json").data["receipts"][0]["ranks"]["keyword_rank"] == 0

    def test_a_reformulation_seen_twice_becomes_an_alias_once_that_is_switched_on(self, place: Place) -> None:
        place.ok("remember", "The authentication token rotation runs nightly")
        for setting in ("off", "on"):
            place.ok("config", "set", "learn_aliases", setting)
            for question in ("is authn rotated", "authentication token rotation") * 2:
                place.ok("recall", question)
            made = place.ok("alias", "list", "--json").data["aliases"]
            assert [each["alias_source"] for each in made] == ([] if setting == "off" else ["usage"])
        assert "alias: authn = authentication (usage)" in place.ok("alias", "list").out

    def test_the_published_form_names_the_agent_first(self, place: Place) -> None:
        place.ok("alias", "add", "other", "db", "database", "datastore")
        (alias,) = place.ok("alias", "list", "other", "--json").data["aliases"]
        assert (alias["agent_id"], alias["text"]) == ("other", "alias: db = database, datastore")
        place.ok("alias", "--shared", "k8s", "kubernetes", "cluster")
        assert place.ok("alias", "list", "--shared", "--json").data["count"] == 1

    @pytest.mark.parametrize("words", [["db"], ["db", " , "], ["", "database"], ["d=b", "x"], ["add", "db"]])
    def test_half_an_alias_is_a_usage_error(self, place: Place, words: list[str]) -> None:
        assert place.run("alias", *words).code == 2


class TestCheckpoint:
    def test_what_is_saved_is_listed_and_printed_again(self, place: Place) -> None:
        first = place.ok("checkpoint", "save", '{"next": "write tests"}', "--json").data
        place.ok("remember", "other", "Elsewhere")
        place.ok("checkpoint", "save", "other", '{"next": "elsewhere"}')
        second = place.ok("checkpoint", "save", "--json").data
        listed = place.ok("checkpoint", "list", "--json").data["checkpoints"]
        assert [point["id"] for point in listed] == [second["checkpoint_id"], first["checkpoint_id"]]
        resumed = place.ok("checkpoint", "resume", first["checkpoint_id"][-6:], "--json").data
        assert (resumed["state"], resumed["metadata"]) == ({"next": "write tests"}, {"source": "cli"})
        assert json.loads(place.ok("checkpoint", "resume", "other").out)["state"] == {"next": "elsewhere"}
        assert place.ok("checkpoint", "list", "--limit", "1").out.count("\n") == 1

    def test_nothing_to_resume_is_told_with_exit_1(self, place: Place) -> None:
        assert place.run("checkpoint", "resume").code == 1
        place.ok("checkpoint", "save")
        ran = place.run("checkpoint", "resume", "nobody", "ABCDEF")
        assert (ran.code, "ABCDEF" in ran.err) == (1, True)

    @pytest.mark.parametrize("state", ["{not json", '{"a": 1} x', "{" * 9999, "next step", '["a"]', "17"])
    def test_a_state_that_is_no_object_is_a_usage_error(self, place: Place, state: str) -> None:
        assert place.run("checkpoint", "save", state).code == 2
        assert place.ok("checkpoint", "list", "--json").data["count"] == 0


class TestTransfer:
    def test_export_wipe_import_export_is_byte_equal(self, place: Place, tmp_path: Path) -> None:
        place.ok("remember", "déjà 日本語 🚀")
        place.ok("remember", "--shared", "Port is 1", "--confidence", "verified")
        place.ok("revise", "Port is 1", "Port is 2")
        place.ok("pin", "Port is 2")
        place.ok("alias", "db", "database")
        place.ok("recall", "port")
        first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        assert place.ok("export", "--format", "jsonl", "--out", str(first), "--json").data["count"] == 4
        assert place.ok("export").out.encode() == first.read_bytes()
        assert os.stat(first).st_mode & 0o777 == 0o600
        shutil.rmtree(place.data_dir)
        place.ok("init", "--quiet")
        assert place.ok("import", str(first), "--dry-run", "--json").data["added"] == 4
        assert place.ok("list", "--all", "--json").data["count"] == 0
        assert place.ok("import", str(first)).out.startswith("Imported 4 facts;")
        place.ok("export", "--out", str(second))
        assert second.read_bytes() == first.read_bytes()
        again = place.ok("import", str(first), "--json").data
        assert (again["changed"], again["unchanged"]) == (False, 4)

    def test_bad_lines_are_named_and_nothing_is_half_imported(self, place: Place, tmp_path: Path) -> None:
        place.ok("remember", "Here")
        lines = place.ok("export").out.replace("Here", "New").replace('"id": "0', '"id": "1')
        bad = tmp_path / "bad.jsonl"
        bad.write_text(lines + "{torn\n\n" + lines.replace("New", "key AKIA" + "IOSFODNN7EXAMPL3"))
        ran = place.run("import", str(bad), "--json")
        assert ran.code == 1
        assert [problem["line"] for problem in ran.data["problems"]] == [2, 4]
        assert "IOSFODNN7" not in ran.out + ran.err
        assert _texts(place, "--all") == ["Here"]

    def test_standard_input_and_missing_files(self, place: Place, tmp_path: Path) -> None:
        place.ok("remember", "other", "Only this")
        place.ok("remember", "Here")
        lines = place.ok("export", "--agent", "other").out
        assert lines.count("\n") == 1
        assert place.run("import", "-", "--quiet", stdin=lines).code == 0
        assert place.run("import", str(tmp_path / "missing")).code == 1
        assert place.run("import", "").code == 2
        assert place.run("export", "--out", str(tmp_path / "no" / "where")).code == 1


class TestAdopt:
    def test_a_renamed_project_keeps_its_memory(self, place: Place) -> None:
        place.ok("remember", "From before")
        renamed = place.project.with_name("new-name")
        os.rename(place.project, renamed)
        place.project = renamed
        assert place.run("list").code == 1
        place.ok("trust", "--yes", "--quiet")
        assert "graymatter adopt my-app" in place.ok("whoami").err
        assert place.ok("agents").out == "my-app: 1 fact, 0 retired, 0 pinned\n"
        dry = place.ok("adopt", "my-app", "--dry-run", "--json").data
        done = place.ok("adopt", "my-app", "--json").data
        assert (dry["facts"], dry["changed"], done["facts"], done["changed"]) == (1, False, 1, True)
        assert _texts(place) == ["From before"]
        assert place.ok("adopt", "my-app", "--json").data["changed"] is False
        assert place.ok("whoami").err == ""
        unknown = place.run("adopt", "nobody")
        assert (unknown.code, "Next: graymatter agents lists the ids" in unknown.err) == (1, True)
        assert place.run("adopt", "new-name").code == 2


    def test_an_export_from_before_the_renaming_says_that_only_the_agent_id_differs(self, place: Place) -> None:
        place.ok("remember", "From before")
        place.ok("remember", "--shared", "For all")
        place.ok("pin", "From before")
        kept = place.home / "old.jsonl"
        kept.write_text(place.ok("export").out)
        place.ok("unpin", "From before")
        renamed = place.project.with_name("new-name")
        os.rename(place.project, renamed)
        place.project = renamed
        place.ok("trust", "--yes", "--quiet")
        place.ok("adopt", "my-app")
        ran = place.run("import", str(kept))
        assert ran.code == 1
        assert "only the agent id differs: 1 fact of my-app here already, as new-name's" in ran.err
        assert f"import {kept} --adopt my-app" in ran.err.partition("Next: ")[2]
        done = place.ok("import", str(kept), "--adopt", "my-app", "--json").data
        assert (done["added"], done["updated"], done["unchanged"]) == (0, 1, 1)
        assert place.ok("import", str(kept), "--adopt", "my-app", "--json").data["changed"] is False
        assert "new-name (this project): 1 fact, 0 retired, 1 pinned" in place.ok("agents").out

    def test_an_export_of_the_old_id_enters_an_empty_store_as_the_projects_own(self, place: Place) -> None:
        place.ok("remember", "old-name", "From before")
        lines = place.ok("export").out
        shutil.rmtree(place.data_dir)
        place.ok("init", "--quiet")
        unknown = place.run("import", "-", "--adopt", "oldname", stdin=lines)
        assert (unknown.code, "they are of 'old-name'" in unknown.err) == (1, True)
        done = place.run("import", "-", "--adopt", "old-name", "--json", stdin=lines)
        assert (done.code, done.data["added_under"], done.err) == (0, {"my-app": 1}, "")
        assert place.run("import", "notes.md", "--adopt", "old-name").code == 2


class TestConsolidate:
    def test_unused_facts_fade_pinned_ones_stay(self, place: Place) -> None:
        place.environ["GRAYMATTER_CLOCK"] = "@1780000000"
        place.ok("remember", "Fades")
        place.ok("remember", "Pinned")
        place.ok("pin", "Pinned")
        place.environ["GRAYMATTER_CLOCK"] = f"@{1780000000 + 200 * 86400}"
        dry = place.ok("consolidate", "--dry-run", "--json").data
        assert (dry["changed"], [fact["text"] for fact in dry["agents"][0]["pruned"]]) == (False, ["Fades"])
        assert "1 erased" in place.ok("consolidate").out
        assert _texts(place, "--retired") == ["Pinned"]
        assert place.ok("consolidate", "my-app", "--json").data["changed"] is False


class TestLogAndStatus:
    def test_log_prints_the_exact_bytes_and_what_each_prompt_got(self, bare: Place, tmp_path: Path) -> None:
        (tmp_path / "w").mkdir()
        project = Project(tmp_path / "w")
        project.add("Zeppelin hangars open at nine")
        answer = project.prompt("when do zeppelin hangars open?", session="s-1")
        bare.project = project.root
        bare.home.joinpath(".local/share").mkdir(parents=True)
        os.rename(project.user_dir, bare.user_dir)
        assert bare.ok("log", "--last").out == answer.context
        shown = bare.ok("log", "--session", "s-1")
        assert "user-prompt: 1 fact," in shown.out
        assert shown.out.splitlines()[1].endswith("] Zeppelin hangars open at nine")
        (block,) = bare.ok("log", "--json").data["blocks"]
        assert (block["bytes"], len(block["facts"])) == (len(answer.context), 1)
        for named in ("s-1", block["session"], block["session"][:8], block["session"][:6].upper()):
            assert bare.ok("log", "--session", named).out == shown.out
            assert bare.ok("log", "--last", "--session", named).out == answer.context
        assert f"[{block['facts'][0]['short_id']}]" in bare.ok("log").out
        for words in (("other",), ("other", "--last"), (block["session"][:5],)):
            ran = bare.run("log", "--session", *words)
            assert (ran.code, "no such session" in ran.err) == (1, True)
        bare.environ["GRAYMATTER_CLOCK"] = "@1780000100"
        status = bare.ok("status", "--json").data
        assert status["injected"]["today_bytes"] == len(answer.context)
        assert (status["recalls"], status["last_fired"]["user-prompt"]) == (1, "2026-05-28T20:26:40Z")
        assert f"injected: {len(answer.context)} bytes in 1 block today" in bare.ok("status").out

    def test_nothing_injected_yet_is_no_error_but_for_last(self, place: Place) -> None:
        assert place.ok("log").out == ""
        assert place.run("log", "--last").code == 1
        status = place.ok("status", "--json").data
        assert (status["injected"]["today_blocks"], set(status["last_fired"].values())) == (0, {None})
