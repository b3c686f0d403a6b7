"""A clean machine: one command prepares the project, wires the client and shows proof; one command undoes the wiring."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from tests.installed import CHECKOUT, EVENT_WORDS, Program, clean_env, hook_commands
from tests.journeys.conftest import FOREIGN_SETTINGS
from tests.journeys.desk import Desk, raw

INSTALL_LIMIT_S = 600


def pip_settings() -> dict[str, str]:
    """How this machine's pip finds packages, which is no part of the story."""
    cache = Path.home() / ".cache" / "pip"
    own = {"PIP_CACHE_DIR": str(cache)} if cache.is_dir() else {}
    return own | {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def test_the_first_command_of_the_readme_leads_to_a_fact_in_the_request(bare_desk: Desk) -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    command = re.findall(r"```sh\n(.*?)\n```", readme, re.S)[0]
    assert "\n" not in command, "the first command is one shell line"
    env = clean_env(bare_desk.home) | pip_settings() | {"PROJECT": str(bare_desk.project)}

    ran = subprocess.run(
        ["sh", "-c", command], cwd=CHECKOUT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=INSTALL_LIMIT_S, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    assert "x an empty Python program" in ran.stdout, ran.stdout
    bare_desk.program = Program(bare_desk.home / ".local" / "share" / "gmhooks" / "venv")
    bare_desk.graymatter("remember", "Integration tests need the staging VPN")
    (request,) = bare_desk.prompt("how do I run the integration tests?")
    assert raw(request).count("Integration tests need the staging VPN") == 1


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
