"""The instruction block: everything an agent must know, few words, and what a file holds of it."""

from __future__ import annotations

from gmhooks.context import blocks, protocol
from gmhooks.context.render import tokens
from gmhooks.mcp.tools import TOOLS


def found(text: str) -> str:
    return protocol.state(blocks.scan(text), text, "my-app")


def test_m05_the_text_holds_the_protocol_and_nothing_vague() -> None:
    text = protocol.body("my-app")

    for part in (
        "First action: checkpoint_resume", "checkpoint_save", "`my-app` (this repository's root directory)", "`__shared__`",
        "If these tools are absent, skip", "| when | call |", "The newest one", "no secrets",
    ):  # fmt: skip
        assert part in text
    assert "might matter" not in text
    assert text.isascii()
    assert tokens(text) <= 560
    assert text.count("\n| ") >= 13


def test_m01_every_tool_that_the_server_has_is_named_and_no_other() -> None:
    text = protocol.body("my-app")

    for tool in TOOLS:
        assert tool["name"] in text


def test_the_text_for_all_projects_names_no_project() -> None:
    assert "root directory in lower case" in protocol.body(None)
    assert "my-app" not in protocol.body(None)


def test_m08_states_of_a_file() -> None:
    current, stale = protocol.block("my-app"), protocol.block("other-name")

    assert found(f"mine\n{current}\n") == "current"
    assert found(f"mine\n{current}\n".replace("\n", "\r\n")) == "current"
    assert found(stale) == "stale"
    assert found(f"{current}\n{stale}\n") == "stale"
    assert found(current.replace("First action", "First thing")) == "edited"
    assert found("call memory_search before anything\n") == "custom"
    assert found("unrelated\n") == "absent"
