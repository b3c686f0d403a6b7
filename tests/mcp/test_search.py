"""memory_search and memory_search_batch: what comes back, in which shape, and what counts as a mistake."""

from __future__ import annotations

import pytest

from gmhooks.store.records import KIND_ALIAS, MCP
from tests.mcp.desk import AGENT, Desk


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for text in ("The staging VPN is called tortoise", "Deploys go through port 8443", "Ada owns the billing service"):
        desk.ok("memory_add", text=text)
    return desk


def test_an_added_fact_is_found_and_says_it_came_by_mcp(desk: Desk) -> None:
    desk.ok("memory_add", text="Deploys go through port 8443")

    found = desk.ok("memory_search", query="which port for deploys?", top_k=5.0)

    assert found == {
        "agent_id": AGENT,
        "query": "which port for deploys?",
        "count": 1,
        "facts": ["Deploys go through port 8443"],
    }
    assert desk.facts()[0].source == MCP


def test_text_twin_and_payload_name_the_same_facts_in_the_same_order(filled: Desk) -> None:
    answer = filled.call("memory_search", agent_id=AGENT, query="billing service port")

    assert answer.structured is not None
    lines = [line.partition(". ")[2] for line in answer.text.splitlines() if line[0].isdigit()]
    assert lines == answer.structured["facts"]
    assert len(lines) == 3


def test_an_unknown_agent_has_no_memories_and_that_is_no_error(filled: Desk) -> None:
    answer = filled.call("memory_search", agent_id="nobody", query="port")

    assert not answer.error
    assert answer.structured == {"agent_id": "nobody", "query": "port", "count": 0, "facts": []}
    assert answer.text == "No memories found for agent 'nobody' and query 'port'."


@pytest.mark.parametrize(("setting", "learned"), [("off", []), ("on", ["alias: authn = authentication"])])
def test_searches_teach_aliases_only_where_that_is_switched_on(desk: Desk, setting: str, learned: list[str]) -> None:
    desk.ok("memory_add", text="The authentication token rotation runs nightly")
    (desk.data / "hooks.conf").write_text(f"learn_aliases={setting}\n")
    for query in ("is authn rotated", "authentication token rotation") * 2:
        desk.ok("memory_search", query=query)

    assert [fact.text for fact in desk.facts() if fact.kind == KIND_ALIAS] == learned


@pytest.mark.parametrize("top_k", [0, -3, None, "five", "-5", "0", "", True, 0.5, [2]])
def test_a_top_k_that_is_no_number_above_0_means_8(desk: Desk, top_k: object) -> None:
    for number in range(10):
        desk.ok("memory_add", text=f"Note {number} about gateways")

    assert desk.ok("memory_search", query="gateways", top_k=top_k)["count"] == 8
    assert desk.ok("memory_search", query="gateways")["count"] == 8
    assert desk.ok("memory_search", query="gateways", top_k=2)["count"] == 2


def test_explain_moves_the_facts_into_receipts(filled: Desk) -> None:
    answer = filled.call("memory_search", agent_id=AGENT, query="deploys port", explain=True)

    assert answer.structured is not None
    assert answer.structured["facts"] == []
    first = answer.structured["explained"][0]
    assert first["text"] == "Deploys go through port 8443"
    assert (first["ranks"]["keyword_rank"], first["ranks"]["vector_rank"], first["ranks"]["k"]) == (1, 0, 60)
    assert "ranking" not in first
    assert f"fact_id {first['provenance']['fact_id']}" in answer.text


def test_confidence_options_are_reported_even_for_an_empty_result(desk: Desk) -> None:
    found = desk.ok("memory_search", query="port", min_confidence="verified", confidence_weight=0)

    assert found["retrieval"] == {
        "min_confidence": "verified",
        "confidence_weight": 0.0,
        "policy": "confidence-v1",
        "kg": "suppressed_min_confidence",
    }


def test_a_minimum_leaves_weaker_facts_out_and_a_weight_orders(desk: Desk) -> None:
    desk.ok("memory_add", text="port of alpha", confidence="unverified")
    desk.ok("memory_add", text="port of bravo", confidence="verified")
    desk.ok("memory_add", text="port of gamma")

    assert desk.ok("memory_search", query="port", min_confidence="inferred")["facts"] == [
        "port of bravo",
        "port of gamma",
    ]
    explained = desk.ok("memory_search", query="port", confidence_weight=0.5, explain=True)["explained"]
    assert [row["text"] for row in explained] == ["port of bravo", "port of gamma", "port of alpha"]
    for row in explained:
        assert row["ranking"]["final_score"] == row["ranks"]["fused_score"] * row["ranking"]["factor"]


@pytest.mark.parametrize("value", [None, "", " verified", "VERIFIED", "unknown", 2, ["verified"], True])
def test_a_wrong_minimum_is_refused(desk: Desk, value: object) -> None:
    for tool, more in (("memory_search", {"query": "a"}), ("memory_search_batch", {"queries": ["a"]})):
        assert desk.error(tool, agent_id=AGENT, min_confidence=value, **more).startswith("min_confidence must be")


@pytest.mark.parametrize("value", [None, "0.1", True, -0.1, 0.5001, float("nan"), float("inf"), [0.1]])
def test_a_wrong_weight_is_refused(desk: Desk, value: object) -> None:
    assert desk.error("memory_search", agent_id=AGENT, query="a", confidence_weight=value).startswith(
        "confidence_weight must"
    )


def test_other_unknown_arguments_are_ignored(filled: Desk) -> None:
    assert filled.ok("memory_search", query="port", limit=3, nonsense={"a": 1})["count"] == 3


@pytest.mark.parametrize("arguments", [{"query": "a"}, {"agent_id": " ", "query": "a"}, {"agent_id": 5, "query": "a"}])
def test_search_without_an_agent_is_refused(desk: Desk, arguments: dict[str, object]) -> None:
    assert desk.error("memory_search", **arguments).startswith("agent_id is required")


@pytest.mark.parametrize("query", ["", " \u3000", None, 7, ["a"]])
def test_search_without_a_question_is_refused(desk: Desk, query: object) -> None:
    assert desk.error("memory_search", agent_id=AGENT, query=query).startswith("query is required")


def test_an_alias_widens_the_question_and_is_never_found_itself(filled: Desk) -> None:
    filled.ok("memory_alias", term="tunnel", equivalents=["VPN"])

    found = filled.ok("memory_search", query="tunnel", explain=True)["explained"]
    assert (found[0]["text"], found[0]["ranks"]["keyword_rank"]) == ("The staging VPN is called tortoise", 1)
    assert not [row for row in found if row["text"].startswith("alias:")]

    filled.ok("memory_reflect", action="forget", target="alias: tunnel = VPN")
    assert filled.ok("memory_search", query="tunnel", explain=True)["explained"][0]["ranks"]["keyword_rank"] == 0


def test_a_weak_match_gets_words_that_memory_knows_and_a_strong_one_is_silent(filled: Desk) -> None:
    weak = filled.call("memory_search", agent_id=AGENT, query="tortoise quibble zigzag flummox")

    assert weak.structured is not None
    said = weak.structured["feedback"]
    assert said in weak.text
    first, vocabulary, advice = said.splitlines()
    assert first == "(weak match: memory knows 1 of the 4 words that count in this question)"
    assert "staging" in vocabulary
    assert "memory_alias" in advice
    assert "feedback" not in filled.ok("memory_search", query="which port do deploys go through?")


def test_vocabulary_never_comes_from_facts_that_may_not_be_seen(filled: Desk) -> None:
    filled.ok("memory_add", text="tortoise xylophone", confidence="unverified")
    filled.ok("memory_add", text="tortoise marimba")
    filled.ok("memory_reflect", action="forget", target="tortoise marimba")

    said = filled.ok("memory_search", query="tortoise quibble zigzag", min_confidence="inferred")["feedback"]
    assert "xylophone" not in said
    assert "marimba" not in said


def test_a_batch_merges_and_answers_each_question(filled: Desk) -> None:
    found = filled.ok("memory_search_batch", queries=["vpn", "billing"], top_k=1)

    assert found == {
        "agent_id": AGENT,
        "count": 2,
        "merged": ["The staging VPN is called tortoise", "Ada owns the billing service"],
        "per_query": [
            {"query": "vpn", "facts": ["The staging VPN is called tortoise"]},
            {"query": "billing", "facts": ["Ada owns the billing service"]},
        ],
    }


def test_one_bad_question_fails_alone_and_only_bad_ones_fail_together(filled: Desk) -> None:
    rows = filled.ok("memory_search_batch", queries=["vpn", " ", 5], top_k=1)["per_query"]

    assert [("error" in row, len(row["facts"])) for row in rows] == [(False, 1), (True, 0), (True, 0)]
    assert "none of the queries" in filled.error("memory_search_batch", agent_id=AGENT, queries=["", None])


@pytest.mark.parametrize("queries", [None, [], "vpn", {"a": 1}, ["a"] * 101])
def test_a_batch_without_a_list_of_questions_is_refused(desk: Desk, queries: object) -> None:
    assert desk.error("memory_search_batch", agent_id=AGENT, queries=queries).startswith("queries ")
