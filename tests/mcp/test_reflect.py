"""memory_reflect: who may call it, what each action does, and the trail it leaves."""

from __future__ import annotations

import fcntl
import json
import os

import pytest

from gmhooks.mcp import place as place_module
from gmhooks.mcp.schemas import ACTIONS
from gmhooks.store.audit import newest
from gmhooks.store.ids import encode
from gmhooks.store.nodes import find_edge
from gmhooks.store.records import RETIRED
from gmhooks.store.spool import Spooled, pending, put
from tests.mcp.desk import AGENT, Desk

FACT = "Deploys go through port 8443"
FULL = {"text": FACT, "target": FACT}


def trail(desk: Desk) -> list[dict[str, str]]:
    store = desk.store()
    try:
        return [json.loads(body) for _, body in newest(store, 20)][::-1]
    finally:
        store.close()


@pytest.mark.parametrize("action", ACTIONS)
def test_without_an_identity_nothing_happens(desk: Desk, action: str) -> None:
    desk.ok("memory_add", text=FACT)
    before = desk.bytes()
    assert "agent" in desk.error("memory_reflect", action=action, **FULL)
    assert desk.bytes() == before


@pytest.mark.parametrize("field", ["agent", "agent_id"])
@pytest.mark.parametrize("value", [None, 5, True, {}, ["a"], "", "  ", "\u3000\u2003\u00a0"])
def test_an_identity_that_is_no_text_or_blank_fails_even_beside_a_good_one(
    desk: Desk, field: str, value: object
) -> None:
    desk.ok("memory_add", text=FACT)
    before = desk.bytes()
    other = {"agent": "agent_id", "agent_id": "agent"}[field]
    assert field in desk.error("memory_reflect", action="forget", target=FACT, **{field: value})
    assert field in desk.error("memory_reflect", action="forget", target=FACT, **{field: value, other: AGENT})
    assert desk.bytes() == before


def test_the_older_name_works_and_agent_id_wins_over_it(desk: Desk) -> None:
    assert desk.call("memory_reflect", action="add", agent="other", text="a").structured == {
        "action": "add",
        "agent": "other",
        "ok": True,
    }
    desk.call("memory_reflect", action="add", agent="other", agent_id=AGENT, text="b")
    assert (desk.live("other"), desk.live()) == (["a"], ["b"])


@pytest.mark.parametrize(
    ("action", "given", "missing"),
    [
        ("forget", {}, "target"),
        ("pin", {"text": " "}, "target"),
        ("unpin", {"target": 5}, "target"),
        ("add", {"target": "a"}, "text"),
        ("update", {"text": "a"}, "target"),
        ("update", {"target": "a"}, "text"),
        ("update", {"target": "a", "text": " "}, "text"),
        ("link", {"target": "a"}, "text"),
        ("link", {"text": "a"}, "target"),
        ("purge", {}, "purge"),
        (None, {}, "action"),
        (7, {}, "7"),
    ],
)
def test_what_is_missing_is_named(desk: Desk, action: object, given: dict[str, object], missing: str) -> None:
    assert missing in desk.error("memory_reflect", action=action, agent_id=AGENT, **given)


@pytest.mark.parametrize("action", ["forget", "link", "pin", "unpin"])
def test_a_label_belongs_to_writing_a_fact(desk: Desk, action: str) -> None:
    desk.ok("memory_add", text=FACT)
    before = desk.bytes()
    said = desk.error("memory_reflect", action=action, agent_id=AGENT, confidence="verified", **FULL)
    assert said == f"confidence is not supported by memory_reflect {action}"
    assert desk.bytes() == before


@pytest.mark.parametrize("field", ["text", "target"])
def test_forget_retires_the_fact_without_a_successor(desk: Desk, field: str) -> None:
    desk.ok("memory_add", text=FACT)
    assert desk.ok("memory_reflect", action="forget", **{field: FACT}) == {
        "action": "forget",
        "agent": AGENT,
        "ok": True,
    }
    assert [fact.superseded_by for fact in desk.facts()] == [RETIRED]
    assert desk.ok("memory_search", query="port")["count"] == 0


def test_update_replaces_the_fact_and_says_by_which(desk: Desk) -> None:
    desk.ok("memory_add", text=FACT)
    desk.ok("memory_reflect", action="pin", target=FACT)

    done = desk.ok("memory_reflect", action="update", target=FACT, text="Deploys go through port 9443")

    old, new = desk.facts()
    assert done["fact_id"] == encode(new.id)
    assert old.superseded_by == new.id
    assert (new.text, new.pinned, new.live) == ("Deploys go through port 9443", False, True)
    assert desk.ok("memory_search", query="port")["facts"] == ["Deploys go through port 9443"]
    explained = desk.ok("memory_search", query="port", explain=True)["explained"]
    assert explained[0]["provenance"]["supersedes"] == [encode(old.id)]


@pytest.mark.parametrize(
    ("before", "explicit", "after"),
    [
        ("verified", None, "inferred"),
        (None, None, "inferred"),
        ("unverified", None, "unverified"),
        ("unverified", "verified", "verified"),
    ],
)
def test_a_replacement_is_no_better_founded_than_what_it_replaces(
    desk: Desk, before: str | None, explicit: str | None, after: str
) -> None:
    desk.ok("memory_add", text=FACT, **({"confidence": before} if before else {}))
    more = {"confidence": explicit} if explicit else {}
    done = desk.ok("memory_reflect", action="update", target=FACT, text="new", **more)
    assert done["confidence"] == after


def test_a_target_is_an_id_a_text_or_the_text_as_shown_and_never_a_part(desk: Desk) -> None:
    texts = ["first\nline and second", "Second fact", "third fact <b>"]
    ids = [desk.ok("memory_add", text=text, confidence="inferred")["fact_id"] for text in texts]

    assert "target fact not found" in desk.error("memory_reflect", action="forget", agent_id=AGENT, target="fact")
    desk.ok("memory_reflect", action="forget", target="- first ⏎ line and second (via mcp)")
    desk.ok("memory_reflect", action="forget", target="second fact.")
    desk.ok("memory_reflect", action="forget", target=ids[2][-6:].lower())
    assert desk.live() == []
    assert "already retired" in desk.error("memory_reflect", action="forget", agent_id=AGENT, target=ids[2])


def test_a_target_of_another_agent_is_not_found(desk: Desk) -> None:
    made = desk.ok("memory_add", agent_id="other", text=FACT, confidence="inferred")["fact_id"]
    for target in (FACT, made):
        assert "not found" in desk.error("memory_reflect", action="forget", agent_id=AGENT, target=target)
    assert desk.live("other") == [FACT]


def test_updating_to_a_text_that_is_there_keeps_one_of_it(desk: Desk) -> None:
    for text in ("old", "new"):
        desk.ok("memory_add", text=text)
    desk.ok("memory_reflect", action="update", target="old", text="New.")
    assert desk.live() == ["new"]


def test_an_updated_alias_stays_an_alias(desk: Desk) -> None:
    desk.ok("memory_add", text="The database is PostgreSQL")
    desk.ok("memory_alias", term="db", equivalents=["nothing"])
    desk.ok("memory_reflect", action="update", target="alias: db = nothing", text="alias: db = database")

    found = desk.ok("memory_search", query="db", explain=True)["explained"]
    assert [(row["text"], row["ranks"]["keyword_rank"]) for row in found] == [("The database is PostgreSQL", 1)]


def test_an_alias_is_neither_pinned_nor_replaced_by_a_fact_that_nobody_would_see(desk: Desk) -> None:
    desk.ok("memory_alias", term="db", equivalents=["database"])
    before = desk.bytes()
    for action in ("pin", "unpin", "update"):
        given = {"target": "alias: db = database"} | ({"text": "The port is 1"} if action == "update" else {})
        assert "target is an alias" in desk.error("memory_reflect", action=action, agent_id=AGENT, **given)
    assert desk.bytes() == before


def test_pin_and_unpin_also_of_a_retired_fact(desk: Desk) -> None:
    desk.ok("memory_add", text=FACT)
    pinned = desk.call("memory_reflect", action="pin", agent_id=AGENT, text=FACT)
    assert "exempt from decay" in pinned.text
    assert desk.facts()[0].pinned
    desk.ok("memory_reflect", action="forget", target=FACT)

    assert "not found" in desk.error("memory_reflect", action="pin", agent_id=AGENT, target=FACT)
    desk.ok("memory_reflect", action="unpin", target=FACT)
    assert not desk.facts()[0].pinned


def test_link_draws_an_edge_with_the_facts_that_speak_for_it(desk: Desk) -> None:
    fact_id = desk.ok("memory_add", text=FACT, confidence="inferred")["fact_id"]
    for _ in range(2):
        assert desk.ok("memory_reflect", action="link", text=FACT, target=" Gateway ")["ok"] is True

    store = desk.store()
    edge = find_edge(store, FACT.lower(), "gateway", "agent_link")
    store.close()
    assert edge is not None
    assert [encode(receipt) for receipt in edge.receipts] == [fact_id]


def test_every_action_that_was_carried_out_leaves_one_entry(desk: Desk) -> None:
    desk.ok("memory_reflect", action="add", text="old")
    desk.ok("memory_reflect", action="update", target="old", text="new")
    desk.error("memory_reflect", action="forget", agent_id=AGENT, target="absent")
    desk.ok("memory_reflect", action="forget", target="new")
    desk.ok("memory_reflect", action="link", text="A", target="B")

    same = {"timestamp": "2026-05-28T20:26:40Z", "agent": AGENT, "source": "agent_self"}
    assert trail(desk) == [
        same | {"action": "add", "new_text": "old"},
        same | {"action": "update", "old_text": "old", "new_text": "new"},
        same | {"action": "forget", "old_text": "new", "new_text": ""},
        same | {"action": "link", "new_text": "a -> b"},
    ]


def test_the_entry_of_a_save_that_had_to_wait_is_written_when_it_is_filed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "PATIENCE_S", 0.05)
    desk.ok("memory_add", text="known")
    lock = os.open(desk.data, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    for text in ("waited \u2713", "known"):
        desk.ok("memory_reflect", action="add", text=text)
    assert desk.ok("memory_search", query="waited")["facts"][0] == "waited \u2713"
    assert trail(desk) == []
    os.close(lock)

    desk.ok("memory_add", text="next")

    same = {"timestamp": "2026-05-28T20:26:40Z", "agent": AGENT, "source": "agent_self", "action": "add"}
    assert sorted(trail(desk), key=lambda entry: entry["new_text"]) == [
        same | {"new_text": "known"},
        same | {"new_text": "waited \u2713"},
    ]
    assert desk.live() == ["known", "waited \u2713", "next"]
    assert [fact.source for fact in desk.facts()] == [2, 2, 2]
    assert pending(str(desk.data)) == []


def test_an_entry_that_was_filed_by_a_writer_who_died_is_not_doubled(desk: Desk) -> None:
    spooled = Spooled(bytes(15) + b"\1", 5, AGENT, "a fact", 2, 0, b'{"action":"add"}')
    for _ in range(2):
        put(str(desk.data), spooled)
        desk.ok("memory_add", text="next")
    assert desk.live() == ["a fact", "next"]
    assert trail(desk) == [{"action": "add"}]
