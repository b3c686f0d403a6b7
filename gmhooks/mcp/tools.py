"""The seven tools as clients see them: names, descriptions, schemas, annotations. Plain data, in the published shape."""

from __future__ import annotations

from gmhooks.mcp.schemas import (
    ACTIONS,
    AGENT_ID,
    BOOLEAN,
    CONFIDENCE,
    EXPLAINED,
    INTEGER,
    LABEL,
    LEAST,
    RETRIEVAL,
    TEXT,
    TOP,
    WEIGHT,
    closed,
    rows,
    text,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.mcp.schemas import Schema

SEARCH, BATCH, ADD, ALIAS = "memory_search", "memory_search_batch", "memory_add", "memory_alias"
SAVE, RESUME, REFLECT = "checkpoint_save", "checkpoint_resume", "memory_reflect"
HOOK = "hook_user_prompt"
"""Called by the client's own hook in fast mode; in no list, so it costs the model nothing."""


def _tool(
    name: str, title: str, description: str, takes: Schema, gives: Schema, *, reads: bool = False
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": takes,
        "outputSchema": gives,
        "annotations": {
            "title": title,
            "readOnlyHint": reads,
            "destructiveHint": False,
            "idempotentHint": reads,
            "openWorldHint": False,
        },
    }


def _takes(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


_FOUND = {"agent_id": TEXT, "count": INTEGER}

TOOLS: tuple[dict[str, Any], ...] = (
    _tool(
        SEARCH,
        "Search memory",
        "Find the stored facts that fit a question, best first. Several questions at once: memory_search_batch. A search "
        "that misses because of wording: memory_alias. A fact that is wrong: memory_reflect.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "query": text("What you want to know, in plain words."),
                "top_k": TOP,
                "explain": {"type": "boolean", "description": "Give each fact's ranks, scores and origin."},
                "min_confidence": LEAST,
                "confidence_weight": WEIGHT,
            },
            "agent_id",
            "query",
        ),
        closed(
            {
                **_FOUND,
                "query": TEXT,
                "facts": rows(TEXT),
                "feedback": TEXT,
                "explained": rows(EXPLAINED),
                "retrieval": RETRIEVAL,
            },
            ("agent_id", "query", "count", "facts"),
        ),
        reads=True,
    ),
    _tool(
        BATCH,
        "Search memory for several questions",
        "Find facts for several questions in one call: the facts of all of them merged, and those of each. One question, "
        "or why a fact was found: memory_search.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "queries": texts("The questions, at most 100."),
                "top_k": TOP,
                "min_confidence": LEAST,
                "confidence_weight": WEIGHT,
            },
            "agent_id",
            "queries",
        ),
        closed(
            {
                **_FOUND,
                "merged": rows(TEXT),
                "per_query": rows(
                    closed({"query": TEXT, "facts": rows(TEXT), "error": TEXT}, ("query", "facts")),
                ),
                "retrieval": RETRIEVAL,
            },
            ("agent_id", "count", "merged", "per_query"),
        ),
        reads=True,
    ),
    _tool(
        ADD,
        "Remember a fact",
        "Store one fact for later sessions, in one or two sentences. To replace or retire a fact use memory_reflect; for a "
        "synonym use memory_alias; for where the work stands use checkpoint_save.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "text": text("The fact, at most 4,000 characters, complete on its own. No secrets."),
                "confidence": CONFIDENCE,
            },
            "agent_id",
            "text",
        ),
        closed(
            {"agent_id": TEXT, "stored": BOOLEAN, "fact_id": TEXT, "confidence": LABEL}, ("agent_id", "stored")
        ),
    ),
    _tool(
        ALIAS,
        "Teach a synonym",
        "Record that a term and other words mean the same, so that memory_search for one finds the other. It stores "
        "vocabulary only; for facts use memory_add.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "term": text("The word that searches use."),
                "equivalents": texts("The words that facts use."),
            },
            "agent_id",
            "term",
            "equivalents",
        ),
        closed(
            {"agent_id": TEXT, "term": TEXT, "equivalents": rows(TEXT), "stored": BOOLEAN},
            ("agent_id", "term", "equivalents", "stored"),
        ),
    ),
    _tool(
        SAVE,
        "Save a checkpoint",
        "Save where the work stands, so that a later session can go on with checkpoint_resume. For facts that stay true "
        "use memory_add.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "state": text("A JSON object as a string, for example goal, done, todos, files."),
            },
            "agent_id",
        ),
        closed(
            {"agent_id": TEXT, "checkpoint_id": TEXT, "created_at": TEXT},
            ("agent_id", "checkpoint_id", "created_at"),
        ),
    ),
    _tool(
        RESUME,
        "Resume from the last checkpoint",
        "Read the newest checkpoint that checkpoint_save or a session's end left. Facts are found with memory_search.",
        _takes(
            {
                "agent_id": AGENT_ID,
                "on_missing": text(
                    "Without a checkpoint: answer with an error, or with found=false.",
                    enum=["error", "empty"],
                    default="error",
                ),
            },
            "agent_id",
        ),
        {
            "type": "object",
            "oneOf": [
                closed(
                    {"id": TEXT, "created_at": TEXT, "state": {"type": "object"}, "message_count": INTEGER},
                    ("id", "created_at"),
                ),
                closed({"found": {"type": "boolean", "enum": [False]}, "agent_id": TEXT}, ("found", "agent_id")),
            ],
        },
        reads=True,
    ),
    _tool(
        REFLECT,
        "Correct memory",
        "Correct what is stored: add, update (replace target by text), forget, link (two names that belong together), pin "
        "or unpin. New facts normally go through memory_add; find the exact text with memory_search first.",
        {
            **_takes(
                {
                    "action": text("What to do.", enum=list(ACTIONS)),
                    "agent_id": {**AGENT_ID, "minLength": 1},
                    "agent": text("Former name of agent_id; do not use.", minLength=1, deprecated=True),
                    "text": text("The new text (add, update), the first name (link), or the fact (forget, pin, unpin)."),
                    "target": text("The fact as stored, or its id (update, forget, pin, unpin); the second name (link)."),
                    "confidence": CONFIDENCE,
                },
                "action",
            ),
            "additionalProperties": False,
        },
        closed(
            {"action": TEXT, "agent": TEXT, "ok": BOOLEAN, "fact_id": TEXT, "confidence": LABEL},
            ("action", "agent", "ok"),
        ),
    ),
)
