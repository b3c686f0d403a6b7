"""`graymatter doctor`: states of a project, told and never changed."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.cli.program import Place


def checks(place: Place, *words: str) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in place.run("doctor", *words, "--json").data["checks"]}


def states(place: Place) -> dict[str, str]:
    return {name: check["status"] for name, check in checks(place).items()}


def snapshot(place: Place) -> dict[str, tuple[bytes, int]]:
    """Every file but the table in which each reader of LMDB enters itself."""
    files = [path for path in place.home.rglob("*") if path.is_file() and path.name != "gray.mdb-lock"]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_n01_a_missing_data_directory_is_a_warning_and_is_not_made(bare: Place) -> None:
    ran = bare.run("doctor", "--json")

    assert (ran.code, ran.data["ok"], ran.data["diagnostic_mode"]) == (0, True, "read_only")
    assert (ran.data["readiness"], ran.data["data_dir_writability"]) == ("not_evaluated", "not_tested")
    check = checks(bare)["data_dir"]
    assert (check["status"], check["hint"]) == ("warn", "graymatter init")
    assert os.listdir(bare.project) == []


def test_n01_a_file_in_its_place_fails(bare: Place) -> None:
    bare.data_dir.write_text("x")

    assert bare.run("doctor").code == 1
    assert states(bare)["data_dir"] == "fail"


def test_n02_n04_n05_counts_clients_and_instructions(place: Place) -> None:
    place.ok("remember", "one fact")
    place.ok("remember", "another fact")
    found = checks(place)
    assert "2 facts, 1 agent," in found["store"]["detail"]
    assert found["mcp"]["status"] == "warn"

    place.ok("init", "--only", "claudecode")
    found = checks(place)
    assert (found["mcp"]["status"], found["mcp"]["detail"]) == ("ok", "registered with Claude Code")
    assert found["instructions"]["status"] == "ok"

    file = place.project / "CLAUDE.md"
    from gmhooks.context.protocol import block

    held = file.read_text()
    file.write_text(block("an-older-name") + "\n")
    assert "older version" in checks(place)["instructions"]["detail"]
    file.unlink()
    assert states(place)["instructions"] == "warn"
    assert checks(place)["instructions"]["hint"] == "graymatter init --only claudecode writes it"
    file.write_text(held)
    assert states(place)["instructions"] == "ok"


@pytest.mark.parametrize("plant", ["link", "untrusted", "torn", "idle"])
def test_states_of_the_store(place: Place, plant: str) -> None:
    store = place.data_dir / "gray.mdb"
    if plant == "link":
        store.rename(place.home / "real.mdb")
        store.symlink_to(place.home / "real.mdb")
        assert states(place)["store"] == "warn"
        store.unlink()
        (place.home / "real.mdb").rename(store)
    elif plant == "untrusted":
        for file in (place.user_dir / "trust").iterdir():
            file.unlink()
        assert checks(place)["store"]["hint"] == "graymatter trust"
    elif plant == "torn":
        (place.project / ".mcp.json").write_text("{ torn")
        assert (place.run("doctor").code, states(place)["mcp"]) == (1, "fail")
    else:
        assert "idle" not in states(place)
        os.utime(place.data_dir / "MEMORY.md", (1, 1))
        assert states(place)["idle"] == "warn"


def test_n13_another_program_on_path_is_named_and_not_run(place: Place) -> None:
    other = place.home / "bin/graymatter"
    other.parent.mkdir()
    other.write_text(f"#!/bin/sh\ntouch {place.home}/was-run\n")
    other.chmod(0o755)
    place.environ["PATH"] = f"{other.parent}:{os.defpath}"

    check = checks(place)["binary"]

    assert (check["status"], str(other) in check["detail"]) == ("warn", True)
    assert not (place.home / "was-run").exists()


def test_n07_nothing_at_all_is_written(place: Place) -> None:
    place.ok("remember", "a fact")
    place.ok("init", "--only", "claudecode,codex")
    before = snapshot(place)

    for words in ((), ("--health",), ("--audit",)):
        place.ok("doctor", *words)

    assert snapshot(place) == before


def test_n14_a_path_without_audit_is_an_error(place: Place) -> None:
    ran = place.run("doctor", "somewhere")

    assert (ran.code, "--audit" in ran.err) == (2, True)


def test_audit_of_one_file_needs_no_store_and_fails_only_on_failures(bare: Place) -> None:
    file = bare.project / "RULES.md"
    file.write_text("x\n" * 600)
    ran = bare.run("doctor", "--audit", "RULES.md", "--json")
    assert (ran.code, [each["check"] for each in ran.data["findings"]]) == (0, ["audit.size"])
    assert {each["name"] for each in ran.data["declared_thresholds"]} >= {"size_warn_lines", "duplicate_jaccard"}

    file.write_text("x\n" * 1_600)
    assert bare.run("doctor", "--audit", "RULES.md").code == 1


def test_health_tells_each_rule(place: Place) -> None:
    place.ok("remember", "The port of the staging server is 8080")
    place.ok("remember", "The port of the staging server is 9090")

    found = checks(place, "--health")

    assert found["health.contradictions"]["status"] == "warn"
    assert found["health.damaged"]["status"] == "ok"


def test_every_check_of_the_page_exists_and_the_other_way_round() -> None:
    import re
    from pathlib import Path

    from gmhooks.doctor.audit import FIXES
    from gmhooks.doctor.health import _RULES

    page = (Path(__file__).resolve().parents[2] / "docs/doctor.md").read_text()
    rows = set(re.findall(r"^\| `((?:audit|health)\.[a-z_]+)`", page, flags=re.M))
    assert rows == {*FIXES, *_RULES}


def test_a_server_rejected_in_the_clients_dialog_is_named_with_the_setting(place: Place) -> None:
    place.ok("init", "--mcp", "--quiet")
    settings = place.project / ".claude/settings.local.json"
    settings.parent.mkdir()
    settings.write_text('{"disabledMcpjsonServers": ["graymatter"]}\n')

    found = [check for check in place.run("doctor", "--json").data["checks"] if check["name"] == "mcp"]
    assert [check["status"] for check in found] == ["ok", "warn"]
    assert f"disabledMcpjsonServers in {settings}" in found[1]["detail"]

    assert "disabledMcpjsonServers" in place.ok("hooks", "install", "--via", "mcp").err


def test_no_server_is_no_warning_where_hooks_are_installed(place: Place) -> None:
    place.ok("init", "--hooks", "--quiet")

    assert states(place)["mcp"] == "info"


def test_hooks_doctor_names_the_first_step_where_nothing_was_prepared(bare: Place) -> None:
    assert "graymatter init --hooks" in bare.ok("hooks", "doctor", "--runs", "0").out


def test_hooks_doctor_says_first_how_often_it_measures(place: Place) -> None:
    place.ok("init", "--hooks", "--quiet")

    assert "measured in 1 round " in place.run("hooks", "doctor", "--runs", "1").err
    assert place.run("hooks", "doctor", "--runs", "1", "--json").err == ""
