"""What clients list: seven names, the published parameters, nothing that makes a client drop a tool."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gmhooks.mcp.tools import HOOK, TOOLS

SEARCH = {"top_k", "min_confidence", "confidence_weight"}
TABLE: dict[str, tuple[set[str], set[str], bool]] = {
    "memory_search": ({"agent_id", "query"}, {"explain", *SEARCH}, True),
    "memory_search_batch": ({"agent_id", "queries"}, SEARCH, True),
    "memory_add": ({"agent_id", "text"}, {"confidence"}, False),
    "memory_alias": ({"agent_id", "term", "equivalents"}, set(), False),
    "checkpoint_save": ({"agent_id"}, {"state"}, False),
    "checkpoint_resume": ({"agent_id"}, {"on_missing"}, True),
    "memory_reflect": ({"action"}, {"agent_id", "agent", "text", "target", "confidence"}, False),
}
EACH = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool["name"])


def test_there_are_exactly_the_seven_tools_and_the_hook_is_not_among_them() -> None:
    assert [tool["name"] for tool in TOOLS] == list(TABLE)
    assert HOOK not in TABLE


@EACH
def test_parameters_and_annotations_are_the_published_ones(tool: dict[str, Any]) -> None:
    required, optional, reads = TABLE[tool["name"]]
    takes = tool["inputSchema"]
    assert set(takes["required"]) == required
    assert set(takes["properties"]) == required | optional
    assert tool["annotations"] == {
        "title": tool["title"],
        "readOnlyHint": reads,
        "destructiveHint": False,
        "idempotentHint": reads,
        "openWorldHint": False,
    }


@EACH
def test_input_has_no_combinator_at_its_root(tool: dict[str, Any]) -> None:
    assert tool["inputSchema"]["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "not"} & set(tool["inputSchema"])


@EACH
def test_output_is_closed(tool: dict[str, Any]) -> None:
    gives = tool["outputSchema"]
    assert gives["type"] == "object"
    for form in gives.get("oneOf", [gives]):
        assert form["additionalProperties"] is False
    assert ("additionalProperties" in gives) is (tool["name"] != "checkpoint_resume")


@EACH
def test_schemas_are_sound_and_every_parameter_is_explained(tool: dict[str, Any]) -> None:
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        Draft202012Validator.check_schema(schema)
    assert all(field["description"] for field in tool["inputSchema"]["properties"].values())


@EACH
def test_description_begins_with_a_verb_and_names_siblings(tool: dict[str, Any]) -> None:
    verb = tool["description"].split()[0]
    assert verb in {"Find", "Store", "Record", "Save", "Read", "Correct"}
    assert any(name in tool["description"] for name in TABLE if name != tool["name"])


def test_reflect_is_flat_and_closed_and_its_identities_are_not_empty() -> None:
    takes = TOOLS[-1]["inputSchema"]
    assert takes["additionalProperties"] is False
    assert takes["properties"]["agent_id"]["minLength"] == takes["properties"]["agent"]["minLength"] == 1


def test_absence_of_a_checkpoint_is_pinned_to_false() -> None:
    absence = TOOLS[5]["outputSchema"]["oneOf"][1]
    assert absence["properties"]["found"]["enum"] == [False]


def test_documented_defaults_stand_in_the_schemas() -> None:
    assert TOOLS[0]["inputSchema"]["properties"]["top_k"]["default"] == 8
    assert TOOLS[5]["inputSchema"]["properties"]["on_missing"]["default"] == "error"
    assert json.dumps(TOOLS).isascii()
