"""What each verb does to a real store, seen from outside."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from tests.cli.program import Place, Ran

HOSTILE = "red \x1b[31malert\x1b[0m \u202egnp.exe\nsecond line\u200b"


def _texts(ran: Ran) -> list[str]:
    return [fact["text"] for fact in ran.data["facts"]]


class TestRemember:
    def test_answers_with_the_short_id_and_how_to_undo(self, place: Place) -> None:
        ran = place.ok("remember", "Integration tests need the staging VPN")
        (fact,) = place.ok("list", "--json").data["facts"]
        assert ran.out == f"Remembered in my-app [{fact['short_id']}]. Undo: graymatter forget {fact['short_id']}\n"
        assert (fact["source"], fact["agent_id"], fact["id"][-6:]) == ("cli", "my-app", fact["short_id"])

    def test_equal_text_is_already_remembered_under_the_same_id(self, place: Place) -> None:
        first = place.ok("remember", "Deploys run on Fridays", "--json").data
        again = place.ok("remember", "  deploys run  on fridays. ", "--json").data
        assert (first["status"], again["status"]) == ("stored", "duplicate")
        assert again["id"] == first["id"]
        assert "Already remembered" in place.ok("remember", "Deploys run on Fridays").out

    def test_shared_fact_is_found_by_every_agent_and_undone_by_id(self, place: Place) -> None:
        saved = place.ok("remember", "--shared", "All timestamps are UTC", "--json").data
        assert (saved["scope"], saved["status"]) == ("shared", "stored")
        assert place.ok("recall", "--shared", "timestamps").out == "All timestamps are UTC\n"
        assert place.ok("recall", "other-agent", "timestamps", "--all").out == "All timestamps are UTC\n"
        place.ok("forget", saved["short_id"])
        assert place.ok("list", "--all", "--json").data["count"] == 0

    @pytest.mark.parametrize(
        "agent_id", ["/etc/passwd", "../x", "a\nb", "Ünïcode 日本", "C:\\x", "x" * 4096, " padded "]
    )
    def test_any_agent_id_keeps_its_facts_apart_and_off_the_disk_tree(self, place: Place, agent_id: str) -> None:
        before = sorted(path for path in place.home.rglob("*"))
        place.ok("remember", agent_id, "Only here")
        (fact,) = place.ok("list", agent_id, "--json").data["facts"]
        assert fact["agent_id"] == agent_id
        assert place.ok("list", "--json").data["count"] == 0
        assert sorted(path for path in place.home.rglob("*")) == before

    @pytest.mark.parametrize("agent_id", ["", " \t", "\u3000", "y" * 4097])
    def test_blank_or_endless_agent_id_is_a_usage_error(self, place: Place, agent_id: str) -> None:
        ran = place.run("remember", agent_id, "text")
        assert ran.code == 2
        assert "agent id" in ran.err
        assert place.ok("list", "--all", "--json").data["count"] == 0

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "empty_remember"),
            (" \n\t", "empty_remember"),
            ("<private>all of it</private>", "private_only"),
            ("x" * 4001, "fact_too_long"),
            ("AWS key AKIA" + "IOSFODNN7EXAMPL3", "secret:aws_access_key"),
            ("registry: " + b64encode(b"AKIA" + b"IOSFODNN7EXAMPL3").decode(), "secret:aws_access_key"),
        ],
    )
    def test_refused_text_is_named_by_its_rule_and_never_echoed(self, place: Place, text: str, code: str) -> None:
        ran = place.run("remember", text, "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, code)
        assert text.strip() == "" or text not in ran.out + ran.err
        assert place.ok("list", "--json").data["count"] == 0

    def test_parts_that_were_left_out_are_told(self, place: Place) -> None:
        ran = place.ok("remember", "The host is db1 <private>password</private>")
        assert "The parts marked <private> were not saved." in ran.err
        assert _texts(place.ok("list", "--json")) == ["The host is db1"]

    def test_held_lock_spools_durably_and_says_so(self, place: Place) -> None:
        place.ok("remember", "An older fact")
        fd = os.open(place.data_dir, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        ran = place.ok("remember", "Saved while another writer hung")
        recalled = place.ok("recall", "writer hung")
        listed = place.ok("list")
        os.close(fd)
        assert "not yet in the store" in ran.out
        assert recalled.out.splitlines()[0] == "Saved while another writer hung"
        assert "(waiting) Saved while another writer hung" in listed.out
        place.ok("remember", "The next save drains the spool")
        facts = place.ok("list", "--json").data["facts"]
        assert {fact["text"] for fact in facts if not fact.get("waiting")} == {
            "An older fact", "Saved while another writer hung", "The next save drains the spool",
        }  # fmt: skip
        assert os.listdir(place.data_dir / "spool") == []

    def test_quiet_prints_nothing_and_saves(self, place: Place) -> None:
        ran = place.ok("--quiet", "remember", "Silent fact")
        assert (ran.out, ran.err) == ("", "")
        assert _texts(place.ok("list", "--json")) == ["Silent fact"]

    def test_option_like_text_is_saved_after_two_dashes(self, place: Place) -> None:
        place.ok("remember", "--", "--json is an option")
        assert _texts(place.ok("list", "--json")) == ["--json is an option"]


class TestRecall:
    def test_facts_come_one_a_line_best_first_and_the_header_is_no_data(self, place: Place) -> None:
        for text in ("The VPN is down on Sundays", "Integration tests need the VPN", "Lunch is at noon"):
            place.ok("remember", text)
        ran = place.ok("recall", "integration tests VPN")
        assert ran.out.splitlines()[0] == "Integration tests need the VPN"
        assert len(ran.out.splitlines()) == 3
        assert ran.err == "3 facts from my-app, of which the first 2 match:\n"
        assert place.ok("recall", "holidays").err == "3 facts from my-app, none of which matches:\n"
        assert place.ok("recall", "--top-k", "1", "integration tests VPN").out == "Integration tests need the VPN\n"

    def test_json_has_the_published_keys(self, place: Place) -> None:
        place.ok("remember", "Integration tests need the VPN")
        assert place.ok("recall", "--json", "tests").data == {
            "agent_id": "my-app",
            "scope": "agent",
            "query": "tests",
            "facts": ["Integration tests need the VPN"],
            "count": 1,
        }

    def test_unknown_agent_and_empty_store_answer_with_nothing(self, place: Place) -> None:
        ran = place.ok("recall", "nobody", "anything")
        assert ran.out == ""
        assert ran.err.startswith("Nothing found in nobody.\n")
        assert place.ok("recall", "nobody", "anything", "--json").err == ""

    def test_empty_query_gives_the_newest_first(self, place: Place) -> None:
        for text in ("first", "second", "third"):
            place.ok("remember", f"The {text} fact")
        assert place.ok("recall", "").out.split("\n")[:3] == ["The third fact", "The second fact", "The first fact"]

    def test_receipts_reproduce_the_score(self, place: Place) -> None:
        place.ok("remember", "--confidence", "verified", "The queue is called jobs")
        ran = place.ok("recall", "--explain", "--confidence-weight", "0.2", "queue", "--json")
        (receipt,) = ran.data["receipts"]
        ranks, ranking = receipt["ranks"], receipt["ranking"]
        assert ranks["fused_score"] == 1.0 / (60 + ranks["keyword_rank"]) + 0.5 / (60 + ranks["recency_rank"])
        assert ranking["final_score"] == ranks["fused_score"] * 1.2
        assert ran.data["retrieval"]["policy"] == "confidence-v1"
        assert "keyword_rank=1" in place.ok("recall", "--explain", "queue").out

    def test_minimum_confidence_leaves_the_others_out(self, place: Place) -> None:
        place.ok("remember", "--confidence", "unverified", "Port 5432 perhaps")
        place.ok("remember", "--confidence", "verified", "Port 5433 for sure")
        assert place.ok("recall", "--min-confidence", "verified", "port").out == "Port 5433 for sure\n"

    def test_neighbours_bring_what_was_said_beside_a_match(self, place: Place) -> None:
        for text in ("Which editor does Ana use?", "Helix, since spring", "Lunch is at noon"):
            place.ok("remember", text)
        found = place.ok("recall", "--neighbours", "--explain", "--top-k", "2", "editor", "--json").data
        assert found["facts"] == ["Which editor does Ana use?", "Helix, since spring"]
        assert found["receipts"][1]["smoothed"]["before"] == found["receipts"][0]["smoothed"]["own"]

    @pytest.mark.parametrize("weight", ["-0.1", "0.51", "nan", "inf", "x"])
    def test_weight_outside_the_range_is_a_usage_error(self, place: Place, weight: str) -> None:
        ran = place.run("recall", f"--confidence-weight={weight}", "port")
        assert (ran.code, ran.out) == (2, "")

    @pytest.mark.parametrize("words", [["--shared", "--all"], ["--explain", "--shared"], ["--explain", "--all"]])
    def test_options_that_exclude_each_other_are_refused(self, place: Place, words: list[str]) -> None:
        assert place.run("recall", *words, "x").code == 2

    def test_all_merges_both_scopes_by_rank(self, place: Place) -> None:
        for number in range(8):
            place.ok("remember", f"Queue note number {number}")
        place.ok("remember", "--shared", "Queue names are singular")
        ran = place.ok("recall", "--all", "queue", "--json")
        assert ran.data["count"] == 8
        assert "Queue names are singular" in ran.data["facts"]


class TestForget:
    def test_by_id_by_text_and_never_by_part(self, place: Place) -> None:
        first = place.ok("remember", "Staging runs on port 5432", "--json").data
        place.ok("remember", "Production runs on port 5433")
        ran = place.run("forget", "port")
        assert ran.code == 1
        assert f"[{first['short_id']}] Staging runs on port 5432" in ran.err
        assert place.ok("forget", first["short_id"], "--json").data["superseded"] == [first["id"]]
        place.ok("forget", "production runs on port 5433.")
        assert place.ok("list", "--json").data["count"] == 0
        assert place.ok("list", "--retired", "--json").data["count"] == 2
        assert "already retired" in place.run("forget", first["short_id"]).err

    def test_text_as_shown_counts_too(self, place: Place) -> None:
        place.ok("remember", "First line\nsecond line")
        place.ok("forget", "First line ⏎ second line")
        assert place.ok("list", "--json").data["count"] == 0

    def test_explicit_agent_is_the_only_place_looked_at(self, place: Place) -> None:
        place.ok("remember", "Shared word")
        assert place.run("forget", "other", "Shared word").code == 1
        assert place.ok("list", "--json").data["count"] == 1


class TestPin:
    def test_pin_and_unpin(self, place: Place) -> None:
        place.ok("remember", "Always use pnpm")
        place.ok("pin", "Always use pnpm")
        assert [fact["pinned"] for fact in place.ok("list", "--json").data["facts"]] == [True]
        assert "(pinned)" in place.ok("list").out
        place.ok("unpin", "Always use pnpm")
        assert [fact["pinned"] for fact in place.ok("list", "--json").data["facts"]] == [False]


class TestList:
    def test_hostile_text_is_one_harmless_line(self, place: Place) -> None:
        place.ok("remember", HOSTILE)
        for ran in (place.ok("list"), place.ok("recall", "alert")):
            assert len(ran.out.splitlines()) == 1
            assert not set(ran.out) & set("\x1b\u202e\u200b")
        assert place.ok("list", "--json").out.isascii()

    def test_limit_and_all(self, place: Place) -> None:
        for number in range(3):
            place.ok("remember", f"agent-{number}", f"Fact {number}")
        assert place.ok("list", "--all", "--limit", "2", "--json").data["count"] == 2
        assert "(agent-1) Fact 1" in place.ok("list", "--all").out
        assert place.run("list", "--limit", "0").code == 2
        assert place.run("list", "x", "--all").code == 2


class TestStatus:
    def test_counts_and_reasons(self, place: Place) -> None:
        place.ok("remember", "One fact")
        place.ok("remember", "--shared", "Two facts")
        place.ok("pin", "One fact")
        state = place.ok("status", "--json").data
        assert state["memory"] == "off"
        assert [reason["code"] for reason in state["reasons"]] == ["hooks_not_installed"]
        counts = {each["agent_id"]: (each["live"], each["pinned"]) for each in state["contents"]["namespaces"]}
        assert counts == {"my-app": (1, 1), "__shared__": (1, 0)}
        assert state["writes_7d"] == 2
        assert "Next: graymatter init --hooks" in place.ok("status").out

    def test_every_way_to_be_off_is_named(self, place: Place) -> None:
        place.ok("pause")
        place.ok("config", "inject", "off")
        place.ok("config", "save", "off")
        place.environ["GRAYMATTER_DISABLE"] = "1"
        codes = [reason["code"] for reason in place.ok("status", "--json").data["reasons"]]
        assert codes == ["disabled", "paused", "switched_off", "hooks_not_installed"]

    def test_unprepared_project_is_told_and_stays_unprepared(self, bare: Place) -> None:
        state = bare.ok("status", "--json").data
        assert state["reasons"][0]["code"] == "store_missing"
        assert state["contents"] is None
        assert os.listdir(bare.project) == []


class TestWhoami:
    def test_subdirectory_and_dir_move_only_what_they_may(self, place: Place) -> None:
        below = place.project / "src" / "deep"
        below.mkdir(parents=True)
        found = place.run("whoami", "--json", cwd=below).data
        assert found["root"] == str(place.project)
        assert found["store"] == str(place.data_dir)
        assert found["agent_id"] == "my-app"
        moved = place.ok("whoami", "--json", "--dir", "elsewhere").data
        assert (moved["store"], moved["agent_id"]) == (str(place.project / "elsewhere"), "my-app")


class TestTrust:
    @pytest.fixture
    def foreign(self, place: Place, tmp_path: Path) -> Place:
        place.ok("remember", "Planted \x1b[2Jfact")
        other = Place(tmp_path / "other", tmp_path / "other" / "clone")
        other.home.mkdir()
        shutil.copytree(place.project, other.project)
        return other

    def test_foreign_store_is_refused_until_trusted(self, foreign: Place) -> None:
        for words in (["list"], ["recall", "fact"], ["remember", "Mine"], ["init"]):
            ran = foreign.run(*words, "--json")
            assert (ran.code, ran.data["error"]["code"]) == (1, "untrusted")
        assert foreign.run("trust", "--json").data["error"]["code"] == "untrusted"
        ran = foreign.ok("trust", "--yes")
        assert "Planted" in ran.out
        assert "\x1b" not in ran.out
        foreign.ok("remember", "clone", "Mine")
        assert _texts(foreign.ok("list", "--json")) == ["Mine"]

    def test_settings_that_come_with_it_are_shown_as_config_shows_them(self, foreign: Place) -> None:
        (foreign.data_dir / "hooks.conf").write_text("save=off\ntop_k=50\nno setting\n")
        assert "Settings that come with it: save=off top_k=50\n" in foreign.ok("trust", "--yes").out

    def test_second_time_changes_nothing(self, foreign: Place) -> None:
        assert foreign.ok("trust", "--yes", "--json").data["changed"] is True
        assert foreign.ok("trust", "--json").data["changed"] is False

    @pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
    def test_terminal_is_asked_after_it_saw_the_facts(self, foreign: Place, answer: str, code: int) -> None:
        ours, theirs = os.openpty()
        os.write(ours, answer.encode())
        done = foreign.raw([sys.executable, "-m", "gmhooks", "trust"], stdin=theirs)
        os.close(ours)
        os.close(theirs)
        assert done.returncode == code
        assert "Planted" in done.stdout
        assert "1 fact. Sessions in" in done.stderr
        assert foreign.run("list").code == code

    def test_damaged_store_cannot_be_trusted(self, foreign: Place) -> None:
        data = foreign.data_dir / "gray.mdb"
        data.write_bytes(data.read_bytes()[:5000])
        ran = foreign.run("trust", "--yes", "--json")
        assert (ran.code, ran.data["error"]["code"]) == (1, "store_damaged")

    def test_a_store_with_wrong_bytes_is_trusted_after_its_repair(self, foreign: Place) -> None:
        data = foreign.data_dir / "gray.mdb"
        held = data.read_bytes()
        data.write_bytes(held[:8292] + b"\xff" * 4000 + held[12292:])
        ran = foreign.run("trust", "--yes")
        assert ran.code == 1
        assert "cannot be trusted: gray.mdb: " in ran.err
        assert "Next: graymatter repair" in ran.err
        foreign.ok("repair")
        assert foreign.run("list").code == 1
        assert "Planted" in foreign.ok("trust", "--yes").out


class TestConfig:
    def test_set_get_unset_round_trip_keeps_foreign_lines(self, place: Place) -> None:
        path = place.data_dir / "hooks.conf"
        path.write_bytes(b"# mine\nsave = off\n")
        place.ok("config", "set", "top_k", "5")
        place.ok("config", "save", "on")
        assert path.read_bytes() == b"# mine\ntop_k=5\nsave=on\n"
        assert path.stat().st_mode & 0o777 == 0o600
        assert place.ok("config", "get", "top_k").out == "5\n"
        assert place.ok("config", "--json").data["top_k"] == 5
        place.ok("config", "unset", "top_k")
        assert place.ok("config", "top_k").out == "3\n"

    @pytest.mark.parametrize(
        "words", [["set", "top_k", "99"], ["set", "inject", "maybe"], ["set", "color", "red"], ["set", "save"], ["get"],
                  ["set", "worktree", "shared\ninject=off"]],
    )  # fmt: skip
    def test_wrong_keys_and_values_are_refused_and_nothing_is_written(self, place: Place, words: list[str]) -> None:
        assert place.run("config", *words).code == 2
        assert (place.data_dir / "hooks.conf").read_bytes() == b""

    def test_malformed_file_exits_2_and_names_the_line(self, place: Place) -> None:
        (place.data_dir / "hooks.conf").write_text("inject=off\nbroken\n")
        ran = place.run("config")
        assert ran.code == 2
        assert "line 2" in ran.err
        assert "inject=off" in ran.out

    def test_help_describes_exactly_the_settings_that_hooks_read(self) -> None:
        from gmhooks.cli.verbs.config import KEYS
        from gmhooks.hooks.conf import Conf

        assert set(KEYS) == set(Conf.__slots__) - {"problems"}


class TestPause:
    def test_pause_ends_by_itself_or_by_resume(self, place: Place) -> None:
        place.environ["GRAYMATTER_CLOCK"] = "@1700000000"
        assert place.ok("pause", "2h", "--json").data["until"] == "2023-11-15T00:13:20Z"
        assert place.ok("status", "--json").data["reasons"][0]["code"] == "paused"
        place.environ["GRAYMATTER_CLOCK"] = "@1700007201"
        assert place.ok("status", "--json").data["reasons"][0]["code"] == "hooks_not_installed"
        assert place.ok("resume", "--json").data["changed"] is True
        assert place.ok("resume", "--json").data["changed"] is False

    @pytest.mark.parametrize("duration", ["2", "h", "0m", "-1h", "2w"])
    def test_no_duration_is_a_usage_error(self, place: Place, duration: str) -> None:
        assert place.run("pause", "--", duration).code == 2
        assert not (place.data_dir / "off").exists()


class TestInit:
    def test_prepares_everything_privately_and_only_there(self, bare: Place) -> None:
        ran = bare.ok("init", "--json")
        assert (ran.data["status"], ran.data["changed"], ran.data["store"]) == ("complete", True, "created")
        assert os.listdir(bare.project) == [".graymatter"]
        assert bare.data_dir.stat().st_mode & 0o777 == 0o700
        assert {"MEMORY.md", ".gitignore", "gray.mdb", "hooks.conf", "spool"} <= set(os.listdir(bare.data_dir))

    def test_second_run_changes_nothing_and_says_so(self, place: Place) -> None:
        def kept() -> dict[Path, int]:
            found = (path for path in place.home.rglob("*") if path.name != "gray.mdb-lock")  # its reader table
            return {path: path.stat().st_mtime_ns for path in found}

        before = kept()
        ran = place.ok("init")
        assert "Already prepared, nothing to change" in ran.out
        assert kept() == before

    def test_store_only_has_its_own_answer(self, bare: Place) -> None:
        assert bare.ok("init", "--store-only", "--json").data == {
            "schema_version": 1,
            "mode": "store-only",
            "data_dir": str(bare.data_dir),
            "status": "created",
            "marker": str(bare.data_dir / "MEMORY.md"),
            "runtime_verified": False,
        }
        assert bare.ok("init", "--store-only", "--json").data["status"] == "already_prepared"

    def test_dry_run_creates_nothing(self, bare: Place) -> None:
        assert "Would prepare" in bare.ok("init", "--dry-run").out
        assert os.listdir(bare.project) == []

    def test_marker_alone_counts_and_gets_its_store_with_the_first_save(self, bare: Place) -> None:
        bare.data_dir.mkdir(0o700)
        (bare.data_dir / "MEMORY.md").touch()
        assert bare.ok("list", "--json").data["count"] == 0
        bare.ok("remember", "The first fact")
        assert _texts(bare.ok("list", "--json")) == ["The first fact"]

    def test_home_is_no_project_unless_asked_for_by_hand(self, bare: Place) -> None:
        ran = bare.run("init", cwd=bare.home)
        assert ran.code == 1
        assert "--here" in ran.err
        assert sorted(os.listdir(bare.home)) == [bare.project.name]
        assert bare.run("init", "--store-only", "--here", cwd=bare.home).code == 0
        assert bare.run("remember", "Now it is one", cwd=bare.home).code == 0

    @pytest.mark.parametrize(
        "words",
        [["--store-only", "--hooks"], ["--scope", "user"], ["--hooks", "--dir", "x"], ["--hooks", "--scope", "x"]],
    )
    def test_options_that_make_no_sense_together_are_refused(self, bare: Place, words: list[str]) -> None:
        assert bare.run("init", *words).code == 2
        assert os.listdir(bare.project) == []
