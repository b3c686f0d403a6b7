"""memory_search and memory_search_batch."""

from __future__ import annotations

from functools import partial

from gmhooks.mcp.answers import Answer
from gmhooks.mcp.texts import searched, searched_all
from gmhooks.mcp.validate import Invalid, agent_id, label, queries, required, top_k, weight
from gmhooks.memory.learning import take_in
from gmhooks.memory.ranking import Question, retrieval
from gmhooks.memory.searching import search as find
from gmhooks.memory.searching import search_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.place import Place


def search(place: Place, given: dict[str, Any]) -> Answer:
    """The facts that fit one question; with `explain` their receipts."""
    owner = agent_id(given)
    question = _question(place, given, required(given, "query"))
    explain = given.get("explain") is True
    found = place.read(lambda store, data_dir: find(store, data_dir, owner, question, receipts=explain))
    take_in(found.lesson, partial(place.change, patience_s=0))
    body: dict[str, Any] = {
        "agent_id": owner,
        "query": question.query,
        "count": len(found.texts),
        "facts": [] if explain else list(found.texts),
    }
    if found.feedback is not None:
        body["feedback"] = found.feedback
    if explain:
        body["explained"] = list(found.receipts)
    if found.retrieval is not None:
        body["retrieval"] = found.retrieval
    return Answer(searched(owner, question.query, found), body)


def search_batch(place: Place, given: dict[str, Any]) -> Answer:
    """The facts of several questions; one that cannot be asked fails alone."""
    owner = agent_id(given)
    rows = [{"query": query if isinstance(query, str) else "", "facts": []} for query in queries(given)]
    good: list[dict[str, Any]] = []
    for row in rows:
        if str(row["query"]).strip():
            good.append(row)
        else:
            row["error"] = "query is required: a string that is not blank"
    if not good:
        raise Invalid("recall error: none of the queries could be asked: each must be a string that is not blank")
    asked = [_question(place, given, row["query"]) for row in good]
    merged, each = place.read(lambda store, data_dir: search_all(store, data_dir, owner, asked))
    for row, facts in zip(good, each, strict=True):
        row["facts"] = facts
    body: dict[str, Any] = {"agent_id": owner, "count": len(merged), "merged": merged, "per_query": rows}
    policy = retrieval(asked[0])
    if policy is not None:
        body["retrieval"] = policy
    return Answer(searched_all(owner, merged, rows, policy), body)


def _question(place: Place, given: dict[str, Any], query: str) -> Question:
    return Question(query, top_k(given), label(given, "min_confidence"), weight(given), place.now_us())
