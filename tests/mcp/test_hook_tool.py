"""Fast mode: the hidden tool says to the byte what the prompt hook prints, and like it never complains."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gmhooks.init.settings import TOOL
from gmhooks.mcp.hook_tool import FIELDS
from gmhooks.mcp.tools import HOOK
from gmhooks.store.trust import register, registered
from tests.hooks.project import patient
from tests.mcp.desk import AGENT, Desk
from tests.mcp.lean import LONGEST_S, Lean, environ

PROMPTS = [
    "which port do deploys use?",
    'quotes " and \\ and ${prompt} and naïve 日本 about deploys port\nsecond line',
    "write a haiku",
    "remember: the deploy window is Tuesday",
    "forget: Deploys go through port 8443",
    "memory off",
    "memory on",
    "",
    "<task-notification>deploys port</task-notification>",
]


def by_command(desk: Desk, prompt: str, session: str) -> str:
    """What the hook prints."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(desk.root), "prompt": prompt}
    ran = subprocess.run(
        [*patient(), f"--user-dir={desk.user_dir}", "user-prompt"],
        input=json.dumps(payload).encode(), env=environ(desk), cwd=desk.root, capture_output=True, timeout=LONGEST_S,
        check=False,
    )  # fmt: skip
    return ran.stdout.decode()


def by_tool(server: Lean, desk: Desk, prompt: str, session: str) -> str:
    passed = {"prompt": prompt, "session_id": session, "cwd": str(desk.root), "prompt_id": "", "transcript_path": ""}
    result = server.call(HOOK, **passed)
    assert result["isError"] is False
    assert "structuredContent" not in result
    return "".join(part["text"] for part in result["content"])


def copied(desk: Desk, folder: Path) -> Desk:
    """The same project in the same state somewhere else: both ways of asking get a store of their own."""
    folder.mkdir()
    twin = Desk(folder, AGENT)
    for leaf in ("gray.mdb", "state"):
        shutil.copy(desk.data / leaf, twin.data / leaf)
    register(twin.user_dir, str(twin.data), registered(desk.user_dir, str(desk.data)) or "")
    return twin


@pytest.mark.parametrize("prompt", PROMPTS)
def test_both_ways_say_the_same(desk: Desk, tmp_path: Path, prompt: str) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")
    twin = copied(desk, tmp_path / "twin")
    with Lean(desk) as server:
        said = by_tool(server, desk, prompt, "one")

    assert without_ids(said) == without_ids(by_command(twin, prompt, "one"))
    assert desk.live() == twin.live()


def without_ids(said: str) -> str:
    """A new fact's id differs from store to store; nothing else may."""
    return re.sub(r"\[[0-9A-Z]{6}\]|forget:? [0-9A-Z]{6}", "[id]", said)


def test_the_entry_passes_what_the_tool_reads() -> None:
    assert TOOL["tool"] == HOOK
    assert tuple(TOOL["input"]) == FIELDS
    assert set(TOOL["input"].values()) == {f"${{{field}}}" for field in FIELDS}


def test_a_fact_is_shown_once_in_a_session_whichever_way_it_came(desk: Desk) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")
    with Lean(desk) as server:
        assert "8443" in by_tool(server, desk, "which port do deploys use?", "s")
    assert by_command(desk, "tell me which port the deploys need, please", "s") == ""


@pytest.mark.parametrize(
    "given", [{}, {"prompt": 5}, {"prompt": ["a"]}, {"prompt": "deploys port?", "cwd": "/nowhere"}]
)
def test_whatever_comes_is_no_error(desk: Desk, given: dict[str, object]) -> None:
    answer = desk.call(HOOK, **given)
    assert (answer.text, answer.structured, answer.error) == ("", None, False)


def test_the_kill_switch_silences_it(desk: Desk) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")
    with Lean(desk, env={"GRAYMATTER_DISABLE": "1"}) as server:
        assert by_tool(server, desk, "which port do deploys use?", "s") == ""


def test_what_it_did_is_in_the_log(desk: Desk) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")
    with Lean(desk) as server:
        by_tool(server, desk, "which port do deploys use?", "s")
    (line,) = (desk.data / "hooks.log").read_text().splitlines()
    assert json.loads(line)["code"] == "injected"
