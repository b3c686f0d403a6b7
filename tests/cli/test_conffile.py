"""The packet policy chosen while hooks are installed: it goes to the project's `hooks.conf`, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from tests.cli.program import Place


def conf(place: Place) -> Path:
    return place.data_dir / "hooks.conf"


def test_installing_with_a_packet_policy_keeps_other_settings_and_writes_no_policy_into_the_entry(place: Place) -> None:
    conf(place).write_text("# mine\nsave=off\n")
    done = place.ok("hooks", "install", "--packet-policy", "lexical", "--json").data
    assert (done["packet_policy"], done["policy_changed"]) == ("lexical", True)
    assert conf(place).read_text() == "# mine\nsave=off\npacket_policy=lexical\n"
    assert "lexical" not in (place.project / ".claude/settings.local.json").read_text()
    before = conf(place).stat().st_mtime_ns
    again = place.ok("hooks", "install", "--packet-policy", "lexical", "--json").data
    assert (again["outcome"], again["policy_changed"], conf(place).stat().st_mtime_ns) == ("unchanged", False, before)


def test_k16_installing_again_without_a_policy_keeps_the_choice(place: Place) -> None:
    place.ok("hooks", "install", "--packet-policy", "lexical")
    place.ok("hooks", "install")
    assert place.ok("config", "packet_policy").out == "lexical\n"


def test_init_with_hooks_chooses_the_policy_too(bare: Place) -> None:
    done = bare.ok("init", "--hooks", "--packet-policy", "lexical", "--json").data
    assert (done["packet_policy"], conf(bare).read_text()) == ("lexical", "packet_policy=lexical\n")
    told = bare.ok("init", "--hooks", "--packet-policy", "native").out
    assert f"packet_policy=native in {conf(bare)}" in told


def test_a_dry_run_says_which_policy_would_be_chosen_and_writes_nothing(place: Place) -> None:
    for words in (("hooks", "install"), ("init", "--hooks")):
        ran = place.ok(*words, "--packet-policy", "lexical", "--dry-run")
        assert f"Would do: packet_policy=lexical in {conf(place)}" in ran.out
    assert conf(place).read_bytes() == b""


def test_k16_k17_a_policy_that_is_unknown_missing_or_out_of_place_is_refused(place: Place) -> None:
    for words in (("hooks", "uninstall"), ("hooks", "doctor"), ("init",), ("init", "--store-only")):
        assert place.run(*words, "--packet-policy", "lexical").code == 2
    for words in (["best"], [""], []):
        assert place.run("hooks", "install", "--packet-policy", *words).code == 2
    assert not (place.project / ".claude").exists()
    assert conf(place).read_bytes() == b""


def test_a_policy_for_an_unprepared_project_is_refused_before_anything_is_written(bare: Place) -> None:
    ran = bare.run("hooks", "install", "--packet-policy", "lexical", "--json")
    assert (ran.code, ran.data["error"]["code"]) == (1, "store_missing")
    assert list(bare.project.iterdir()) == []
