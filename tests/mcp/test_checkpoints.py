"""checkpoint_save and checkpoint_resume: the state comes back as it was, and never an older one in its place."""

from __future__ import annotations

import json

import pytest

from gmhooks.mcp.frames import Real
from gmhooks.store.checkpoints import save
from gmhooks.store.env import Store
from gmhooks.store.layout import CHECKPOINTS
from gmhooks.store.namespaces import ensure
from gmhooks.store.writer import run
from tests.mcp.desk import AGENT, NOW, Desk


def test_the_newest_state_comes_back(desk: Desk) -> None:
    first = desk.ok("checkpoint_save", state='{"n": 1}')
    second = desk.ok(
        "checkpoint_save", state='{"goal": "naïve 日本", "todos": ["a"], "deep": {"x": [1, 2.5, null, true]}}'
    )

    found = desk.ok("checkpoint_resume")

    assert found == {
        "id": second["checkpoint_id"],
        "created_at": "2026-05-28T20:26:40Z",
        "state": {"goal": "naïve 日本", "todos": ["a"], "deep": {"x": [1, 2.5, None, True]}},
    }
    assert first["checkpoint_id"] < second["checkpoint_id"]
    assert second["created_at"] == found["created_at"]


def test_numbers_keep_their_digits(desk: Desk) -> None:
    desk.ok("checkpoint_save", state='{"big": 123456789012345678901234567890, "money": 1.50}')
    state = desk.ok("checkpoint_resume")["state"]
    assert all(isinstance(value, Real) for value in state.values())
    assert {key: value.literal for key, value in state.items()} == {
        "big": "123456789012345678901234567890",
        "money": "1.50",
    }


def test_a_checkpoint_may_hold_nothing(desk: Desk) -> None:
    desk.ok("checkpoint_save")
    assert desk.ok("checkpoint_resume").keys() == {"id", "created_at"}


@pytest.mark.parametrize("state", ["{not json", "", "[1]", '"text"', "null", 5, {"a": 1}, '{"a": NaN}', "x" * 70_000])
def test_a_state_that_is_no_json_object_is_refused(desk: Desk, state: object) -> None:
    assert desk.error("checkpoint_save", agent_id=AGENT, state=state).startswith("state must be valid JSON")


@pytest.mark.parametrize("state", ['{"a": ' * 60 + "1" + "}" * 60, json.dumps({"a": "x" * 70_000})])
def test_a_state_that_is_too_deep_or_too_large_is_refused(desk: Desk, state: str) -> None:
    assert desk.error("checkpoint_save", agent_id=AGENT, state=state).startswith("state ")


def test_a_state_passes_the_filters_that_facts_pass(desk: Desk) -> None:
    desk.ok("checkpoint_save", state='{"note": "a <private>b</private> c", "list": ["x\\u0000y"]}')
    assert desk.ok("checkpoint_resume")["state"] == {"note": "a c", "list": ["xy"]}
    answer = desk.ok(
        "checkpoint_save", state='{"deep": [{"key": "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE": 1.50}]}'
    )
    assert answer["withheld"] == 2
    (kept,) = desk.ok("checkpoint_resume")["state"]["deep"]
    assert kept == {"key": "(withheld: secret)", "(withheld: secret)": 1.5}


def test_without_an_agent_nothing_is_saved(desk: Desk) -> None:
    assert desk.error("checkpoint_save", state="{}").startswith("agent_id is required")


def test_absence_is_an_error_unless_it_may_be_empty(desk: Desk) -> None:
    assert "no checkpoint found" in desk.error("checkpoint_resume", agent_id="nobody")
    assert desk.ok("checkpoint_resume", agent_id="nobody", on_missing="empty") == {"found": False, "agent_id": "nobody"}


@pytest.mark.parametrize("value", ["maybe", None, 1, ["empty"]])
def test_another_answer_to_absence_is_refused(desk: Desk, value: object) -> None:
    said = desk.error("checkpoint_resume", agent_id=AGENT, on_missing=value)
    assert said == 'on_missing must be "error" or "empty"'


def test_an_unreadable_record_is_a_failure_and_never_an_older_state(desk: Desk) -> None:
    desk.ok("checkpoint_save", state='{"n": 1}')
    desk.ok("checkpoint_save", state='{"n": 2}')

    def damage(store: Store) -> None:
        cursor = store.cursor(CHECKPOINTS)
        cursor.last()
        store.put(CHECKPOINTS, cursor.key(), cursor.value()[:-1])

    run(str(desk.data), damage)
    said = desk.error("checkpoint_resume", agent_id=AGENT, on_missing="empty")
    assert "damaged" in said
    assert "not found" not in said


def test_what_was_saved_on_purpose_goes_along_with_a_later_automatic_checkpoint(desk: Desk) -> None:
    saved = desk.ok("checkpoint_save", state='{"todos": ["mine"]}')
    body = json.dumps({"state": {"source": "hooks", "prompt": "p"}, "metadata": {"source": "hooks"}}).encode()
    for later in (1, 2):
        run(
            str(desk.data),
            lambda store, later=later: save(store, ensure(store, AGENT), body, (NOW + later) * 1_000_000),
        )

    found = desk.ok("checkpoint_resume")

    assert found["created_at"] == "2026-05-28T20:26:42Z"
    assert found["state"] == {
        "source": "hooks",
        "prompt": "p",
        "saved": {"id": saved["checkpoint_id"], "created_at": saved["created_at"], "state": {"todos": ["mine"]}},
    }
