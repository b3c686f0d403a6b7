"""A clean machine: one command prepares the project, wires the client and shows proof; one command undoes the wiring."""

from __future__ import annotations

import json
import re

from tests.installed import EVENT_WORDS, hook_commands
from tests.journeys.conftest import FOREIGN_SETTINGS
from tests.journeys.desk import Desk, raw


def test_init_wires_the_project_and_shows_the_block_and_what_it_cost(bare_desk: Desk) -> None:
    told = bare_desk.graymatter("init", "--hooks")

    assert '[GrayMatter hook recall ran for agent_id="' in told
    assert re.search(r"\n *- \S.*\n", told), told
    assert re.search(r"\d+\.\d+ x an empty Python program", told), told
    assert {event: command[1:] for event, command in hook_commands(bare_desk.settings).items()} == {
        event: [word] for event, word in EVENT_WORDS.items()
    }
    assert bare_desk.facts() == [], "the sample fact of the proof stays out of the project's store"


def test_the_client_runs_the_wired_hooks_without_a_word_to_the_user(desk: Desk) -> None:
    (request,) = desk.prompt("hello there")

    assert "GrayMatter" not in raw(request), "an empty store says nothing"


def test_uninstall_gives_the_settings_file_its_original_bytes(bare_desk: Desk) -> None:
    bare_desk.settings.parent.mkdir()
    bare_desk.settings.write_bytes(FOREIGN_SETTINGS)
    bare_desk.graymatter("init", "--hooks")
    assert json.loads(bare_desk.settings.read_bytes())["permissions"] == {"allow": ["Bash(ls:*)"]}
    bare_desk.graymatter("remember", "Integration tests need the staging VPN")

    bare_desk.graymatter("hooks", "uninstall")

    assert bare_desk.settings.read_bytes() == FOREIGN_SETTINGS
    (request,) = bare_desk.prompt("how do I run the integration tests?")
    assert "staging VPN" not in raw(request)


def test_uninstall_leaves_no_settings_file_where_there_was_none(desk: Desk) -> None:
    assert desk.settings.exists()

    desk.graymatter("hooks", "uninstall")

    assert not desk.settings.exists()
